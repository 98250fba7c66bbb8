"""A browser in which tests open pages from files: Debian's Chromium, driven by Selenium.

The fixture ``browser`` is a ``Browser``. Tests that use it have the mark ``slow``. If Chromium is
missing, they fail and are not skipped; tests/support/install_chromium.sh installs it.
"""

import json
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlparse

import pytest

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--disable-extensions", "--force-color-profile=srgb",
    "--hide-scrollbars",
)  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_REQUEST = {"file", "data", "blob", "about", "chrome"}  # schemes that leave no machine
SERIOUS = ("serious", "critical")
HEIGHT = 900
TIMEOUT = 300  # seconds that a busy machine may take for a script


class Browser:
    """A window of Chromium without a screen.

    Attributes:
        driver: Selenium's driver, for everything that this class does not offer.
    """

    def __init__(self, driver, downloads):
        self.driver, self.downloads = driver, Path(downloads)

    def open(self, page, width=1000, dark=False, javascript=True, forced_print=False):
        """Open a page, given by its path or address, in a window with this width in pixels."""
        self.command("Emulation.setScriptExecutionDisabled", value=not javascript)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        medium = "print" if forced_print else ""
        self.command("Emulation.setEmulatedMedia", media=medium, features=[theme])
        size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)  # also below a window's least
        self._logged()  # what was logged before is forgotten
        self.driver.get(page.resolve().as_uri() if isinstance(page, Path) else page)

    def command(self, name, **arguments):
        """Send a command of Chromium's own protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script, *arguments):
        """Run JavaScript, such as ``return document.title``, and return its result."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=20):
        """Wait until JavaScript returns something true, and return it."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds).until(lambda _: self.run(script), script)

    def all(self, selector):
        """Return the elements that a CSS selector finds."""
        return self.driver.find_elements("css selector", selector)

    def errors(self):
        """Return the errors and warnings in the console since the page was opened."""
        return [x["message"] for x in self._logged("browser") if x["level"] != "INFO"]

    def requests(self):
        """Return the addresses, other than files, that were requested since the page was opened."""
        found = []
        for entry in self._logged("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                found.append(event["params"]["request"]["url"])
        return [url for url in found if urlparse(url).scheme not in NO_REQUEST]

    def _logged(self, *kinds):
        kinds = kinds or ("browser", "performance")
        return [entry for kind in kinds for entry in self.driver.get_log(kind)]

    def violations(self):
        """Return the rules of axe-core that the page seriously violates, each with the first
        elements that violate it.
        """
        import axe_core_python

        self.run(Path(axe_core_python.__file__).with_name("axe.min.js").read_text())
        options = {"resultTypes": ["violations"]}  # the nodes of others take long to describe
        script = "const done = arguments[1]; axe.run(document, arguments[0]).then(done)"
        found = self.driver.execute_async_script(script, options)["violations"]
        return {
            rule["id"]: [f"{x['html'][:200]} {x['failureSummary']}" for x in rule["nodes"][:3]]
            for rule in found
            if rule["impact"] in SERIOUS
        }  # fmt: skip


@contextmanager
def chromium():
    """Start Chromium with an empty profile. If it is missing, the error says how to install it."""
    from selenium import webdriver

    program = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        raise FileNotFoundError("no Chromium: as root, tests/support/install_chromium.sh on Debian")
    with tempfile.TemporaryDirectory() as folder:
        downloads = Path(folder) / "downloads"
        downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        window = webdriver.Chrome(options, webdriver.ChromeService(driver))
        window.set_script_timeout(TIMEOUT)
        window.command_executor.client_config.timeout = TIMEOUT
        try:
            yield Browser(window, downloads)
        finally:
            window.quit()


@pytest.fixture(scope="session")
def browser():
    """The browser of a test process. A test opens its page with ``browser.open``."""
    with chromium() as found:
        yield found

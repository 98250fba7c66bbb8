"""Every line of ``refusals.txt`` is refused in its words, and nothing is written."""

import shlex

import pytest
from commands import command
from refusals import complaint, message_of, request_of
from refused_lines import PAGE, furnish, refusals, rewritten, typed

from dpbandits.contracts.question import REGRET, STOPPING

REFUSALS = refusals(PAGE.read_text())
SETTINGS = [x for x in REFUSALS if x.title.startswith("Settings")]
QUESTIONS = {"bandit-run": REGRET, "bandit-stop": STOPPING}
EXTRAS = {"bandit-report ": ["jinja2", "vl_convert"], "bandit-audit exact=true ": ["flint"]}
# too long for a page: a command line, and parts of its message
LONG = [
    (f"bandit-run eps={'x' * 50_000}", "eps=xxx", "xxx ... ", "a number above 0"),
    (f"bandit-run eps={'[' * 400}{']' * 400}", "lists are nested too deeply"),
    (f"bandit-run results={'x' * 5000}", "results=xxx", "path of a folder", "File name too long"),
    (f"bandit-run experiment={'x' * 5000}", "unknown experiment 'xxx", "azize2022_fig2"),
    (f"bandit-run algo={'x' * 5000}", "unknown algo 'xxx", "adap_klucb"),
    (
        f"bandit-run horizon=1{'0' * 400}",
        "horizon=1000",
        "a whole number of at least 1 and at most 4",
    ),
    (f"bandit-run horizon=1{'0' * 5000}", "horizon=1000", "4300 digits"),
    (f"bandit-plot {'x' * 5000}", "xxx", "too long"),
]


def cases(found):
    """Cases of a test, with their ids and with the packages that they need."""

    def marks(line):
        return [pytest.mark.extra(*x) for start, x in EXTRAS.items() if line.startswith(start)]

    return [pytest.param(x, id=x.line[:80], marks=marks(x.line)) for x in found]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("refusals")
    furnish(folder)
    return folder


@pytest.fixture(autouse=True)
def unchanged_folder(furnished, monkeypatch):
    before = sorted(furnished.rglob("*"))
    monkeypatch.chdir(furnished)
    yield
    assert sorted(furnished.rglob("*")) == before


@pytest.mark.parametrize("refusal", cases(REFUSALS))
def test_a_command_refuses(refusal, monkeypatch):
    message = typed(monkeypatch, refusal.line)
    assert refusal.matches(message), message


@pytest.mark.parametrize("refusal", cases(SETTINGS))
def test_python_refuses_in_the_same_words(refusal):
    name, words = refusal.line.split(maxsplit=1)
    message = message_of(request_of, words, QUESTIONS[name])
    assert refusal.matches(message), message


@pytest.mark.parametrize("line", [x[0] for x in LONG], ids=lambda line: line[:25])
def test_long_words_are_refused(line, monkeypatch):
    [parts] = [x[1:] for x in LONG if x[0] == line]
    name, words = line.split(maxsplit=1)
    messages = [typed(monkeypatch, line)]
    if name in QUESTIONS:
        messages.append(message_of(request_of, words, QUESTIONS[name]))
    for message in messages:
        assert all(part in message for part in parts), message


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "bandit-run eps=0",
        "bandit-run results=/dev/null/x",
        "bandit-run -m eps=1,-1",
        "bandit-plot missing.csv",
        "bandit-stop rel_error=2",
        "bandit-bounds eps=0",
    ],
)
def test_the_programs_themselves_refuse(line):
    [refusal] = [x for x in REFUSALS if x.line == line]
    name, *words = shlex.split(line)
    done = command(name, *words)
    assert refusal.matches(complaint(name, done.returncode, done.stdout, done.stderr).rstrip("\n"))


def test_no_line_is_there_twice():
    assert len({x.line for x in REFUSALS}) == len(REFUSALS) > 700 and len(SETTINGS) > 300


def test_messages_are_written_anew():
    """Those of lines that differ stand beneath their own; a text with ... that fits is kept."""
    page = "# How\n\n## T\n\nbandit-run a\nbandit-run b\n    ?\nbandit-run a\n    it ... a\n"
    assert rewritten(page, lambda patch, line: f"it is {line[-1]}") == (
        "# How\n\n## T\n\nbandit-run a\n    it is a\nbandit-run b\n    it is b\n"
        "bandit-run a\n    it ... a\n"
    )
    [*_, last] = refusals(page)
    assert last == ("T", "bandit-run a", "it ... a")
    assert last.matches("it is a") and not last.matches("it is b")
    for wrong in ("    a message\n", "bandit-run a\n"):
        with pytest.raises(AssertionError):
            refusals(wrong)

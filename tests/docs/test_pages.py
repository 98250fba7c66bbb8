"""The site before it is built: what is generated is complete, and every document can be reached."""

import inspect
import json
import re
import tomllib
from pathlib import Path

import builder
import pytest
import yaml
from builder import algorithms, authoring, commands, documents
from builder.documents import TOP

import dpbandits as dp
from dpbandits import authoring as for_authors
from dpbandits.cli import run, stop
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.files import PACKAGE
from dpbandits.settings.groups import default_keys, names_in
from dpbandits.theory.bounds import every_bound

NAMED = [(group, name) for group in ("algo", "rule") for name in names_in(group)]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
TREE = re.compile(r"```\{toctree\}\n(.*?)```", flags=re.S)
AUTHORS = [name for _, names in authoring.groups() for name in names]
NOTEBOOKS = sorted((TOP / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def pages():
    return builder.pages()


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), NAMED, ids=[name for _, name in NAMED])
def test_an_algorithm_has_a_page(pages, group, name):
    folder = {"algo": "algorithms", "rule": "rules"}[group]
    page, algorithm = pages[f"{folder}/{name}"], load(find_file(name, (), group))
    assert algorithm.promise() in page
    (included,) = re.findall(r"\{literalinclude\} /(\S+)", page)
    assert TOP / included == algorithm.file
    reference = rf"^(def {name}\(|(\w+(, | = ))*{name}\b.* = )"
    assert re.search(reference, page, flags=re.M)  # the slow reference
    for parameter, domain in algorithm.domains.items():
        (row,) = re.findall(rf"^\| `(?:{group}\.)?{parameter}=` \| (.*)$", page, flags=re.M)
        default, allowed, meaning = row.split(" | ")
        assert default.strip("`") and allowed == domain.allowed, parameter
        assert meaning.strip(" |"), f"{name}: its docstring says nothing of {parameter}"
    assert f"({folder}/{name}.md)" in pages[folder]


@pytest.mark.slow
def test_an_algorithm_without_a_reference_has_no_page():
    """Control: nothing is left out in silence."""
    with pytest.raises(LookupError, match="unknown"):
        algorithms.pseudo_code("unknown")


def test_a_reference_is_shown_with_what_it_calls():
    shown = algorithms.pseudo_code("adap_klucb")
    assert re.findall(r"^def (\w+)", shown, flags=re.M) == [
        "adap_klucb", "adap", "pulled", "last_inside", "kl_upper", "kl", "first_argmax",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), NAMED, ids=[name for _, name in NAMED])
def test_the_example_of_an_algorithm_runs(pages, bandit, group, name):
    folder, command = {"algo": ("algorithms", run), "rule": ("rules", stop)}[group]
    small = {"algo": "horizon=1500 runs=2", "rule": "cap=2000 runs=2"}[group]
    (line,) = re.findall(r"^bandit-(?:run|stop) (.*)$", pages[f"{folder}/{name}"], flags=re.M)
    assert any(name in printed for printed in bandit(command, f"{line} {small}"))


@pytest.mark.slow
def test_every_command_is_in_the_reference(pages):
    installed = re.findall(r"^(bandit-\w+) = ", (TOP / "pyproject.toml").read_text(), flags=re.M)
    assert len(installed) >= 7
    for name in installed:
        assert f"usage: {name} " in pages[f"commands/{name}"]
        assert f"(commands/{name}.md)" in pages["commands"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "stop", "audit", "status", "bounds"])
def test_every_key_of_a_command_is_in_its_page(pages, command):
    for file in commands.COMMANDS[command]["files"]:
        for key in {*default_keys(file)} - {"short"}:
            assert f"\n| `{key}=` | " in pages[f"commands/bandit-{command}"], key


@pytest.mark.slow
def test_every_exported_name_is_in_the_reference(pages):
    text = (TOP / "docs" / "api.md").read_text()
    shown = re.findall(r"^\.\. auto\w+:: (\w+)$", text, flags=re.M)
    assert sorted(shown) == sorted({*dp.__all__} - {"__version__", "kernel"})
    assert "`dp.__version__`" in text and "`dp.kernel`" in text
    for name in AUTHORS:
        assert re.search(rf"(dpbandits\.authoring\.|\| `){name}\b", pages["authoring"]), name


@pytest.mark.slow
def test_every_theorem_is_in_the_reference(pages):
    for bound in every_bound():
        name = f"{bound.function.__module__}.{bound.function.__name__}"
        assert f"\n.. autofunction:: {name}\n" in pages["theory"]
        assert inspect.getdoc(bound.function), name


def undocumented(function):
    """What the docstring of a function leaves out: itself, or parameters."""
    text = inspect.getdoc(function) or ""
    if not text:
        return [function.__name__]
    parameters = list(inspect.signature(function).parameters)
    several = len(parameters) > 1 and "Args:" in text
    return [
        p for p in parameters if several and not re.search(rf"^\s+(?:\*\*)?{p}: ", text, flags=re.M)
    ]


@pytest.mark.parametrize("module", [dp, for_authors], ids=["dpbandits", "authoring"])
def test_what_is_exported_has_a_docstring(module):
    exported = [getattr(module, name) for name in getattr(module, "__all__", AUTHORS)]
    made = [x for x in exported if inspect.isfunction(x) or inspect.isclass(x)]
    assert len(made) > 20
    for value in made:
        assert inspect.getdoc(value), value
        assert not inspect.isfunction(value) or not undocumented(value), value


def test_a_missing_docstring_is_noticed():
    """Control."""

    def silent(x):
        return x

    def half(x, y):
        """Half of it.

        Args:
            x: a number.
        """
        return x + y

    assert undocumented(silent) == ["silent"] and undocumented(half) == ["y"]


def site(pages):
    """All documents of the site: their text by path from the top, without the ending."""
    made = {f"docs/generated/{name}": text for name, text in pages.items()}
    files = [*documents.written(), *documents.tables()]
    found = {str(f.relative_to(TOP).with_suffix("")): f.read_text() for f in files}
    return made | found | {str(f.relative_to(TOP).with_suffix("")): prose(f) for f in NOTEBOOKS}


def prose(notebook):
    """The Markdown cells of a notebook."""
    cells = json.loads(notebook.read_text())["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def reached(texts, first="docs/index"):
    """The documents that tables of contents lead to, from the first page on."""
    found, new = set(), {first}
    while new:
        found |= new
        folders = {name: Path("/") / Path(name).parent for name in new}
        entries = {
            str(folders[name] / line).lstrip("/")
            for name in new
            for tree in TREE.findall(texts[name])
            for line in tree.splitlines()
            if line and not line.startswith(":")
        }
        new = entries - found
    return found


@pytest.mark.slow
def test_no_document_is_an_orphan(pages):
    texts = site(pages)
    assert reached(texts) == set(texts)


@pytest.mark.slow
def test_an_orphan_is_noticed(pages):
    """Control."""
    texts = site(pages)
    texts["docs/index"] = texts["docs/index"].replace("\nhowto\n", "\n")
    assert set(texts) - reached(texts) == {"docs/howto"}


def broken(text, folder, made=()):
    """The links of a text that lead to no file, nor to a page that is made."""
    links = [link[2] for link in documents.LINK.finditer(text) if "://" not in link[2]]
    found = [(name, (folder / name).resolve()) for name in links]
    return [name for name, path in found if not path.exists() and path not in made]


@pytest.mark.slow
def test_links_lead_somewhere(pages):
    made = {documents.GENERATED / f"{name}.md" for name in pages}
    for name, text in site(pages).items():
        assert not broken(text, (TOP / name).parent, made), name
    assert broken("[a](start.md) and [b](nowhere.md#x)", TOP / "docs") == ["nowhere.md"]  # control


@pytest.mark.slow
def test_generated_pages_are_written_once(pages, tmp_path):
    builder.write(tmp_path)
    files = sorted(tmp_path.rglob("*.md"))
    before = [file.stat().st_mtime_ns for file in files]
    (tmp_path / "algorithms" / "gone.md").write_text("# An algorithm that was removed\n")
    builder.write(tmp_path)
    assert sorted(tmp_path.rglob("*.md")) == files and len(files) == len(pages)
    assert [file.stat().st_mtime_ns for file in files] == before


def test_a_table_of_numbers_gets_a_heading():
    shown = documents.complete("results/azize2022_fig2", "| algorithm |\n")
    assert shown.startswith("# azize2022_fig2\n\nAzize & Basu 2022, Fig. 2: ")
    assert documents.complete("docs/scale", "# Large\n") == "# Large\n"


def test_links_to_figures_and_files_lead_to_pages_that_show_them():
    figure, claims = "[figure](../results/figures/hu2022.png)", "[claims](../src/dpbandits/claims)"
    written = f"{figure}, {claims}, [scale.md](scale.md)"
    text = f"# x\n{written}"
    shown = documents.complete("docs/scale", text)
    assert "[figure](../docs/gallery.md#hu2022)" in shown
    assert "[claims](../docs/generated/files/src-dpbandits-claims.md)" in shown
    assert "[](scale.md)" in shown  # the title of the page


def test_every_figure_of_the_gallery_has_its_code():
    text = (TOP / "docs" / "gallery.md").read_text()
    shown = documents.complete("docs/gallery", text)
    for name in dp.experiments().index:
        assert f'dp.reproduce("{name}")' in shown and f"bandit-plot experiment={name}" in shown
        assert f"{{literalinclude}} /conf/experiment/{name}.yaml" in shown
    assert "bandit-stop experiment=sajed2019_stopping" in shown
    assert "bandit-run experiment=hu2022" in shown


def test_every_section_of_the_examples_is_executed():
    sections = (TOP / "docs" / "examples.md").read_text().split("\n## ")[1:]
    assert len(sections) >= 10
    for section in sections:
        assert "```{code-cell} ipython3" in section, section


def test_notebooks_are_stored_with_outputs():
    assert [n.stem for n in NOTEBOOKS] == ["compare", "contexts", "verify"]
    for notebook in NOTEBOOKS:
        cells = json.loads(notebook.read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in code)
        outputs = [out for cell in code for out in cell["outputs"]]
        assert len(outputs) > len(code) / 2
        assert not any(out["output_type"] == "error" or out.get("name") == "stderr"
                       for out in outputs)  # fmt: skip


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((TOP / "CITATION.cff").read_text())
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]


def test_readme_and_citation_point_to_the_site():
    assert "](docs/index.md)" in (TOP / "README.md").read_text()
    message = yaml.safe_load((TOP / "CITATION.cff").read_text())["message"]
    (path,) = re.findall(r"docs/\S+\.md", message)
    assert (TOP / path).is_file()


def test_the_first_page_of_the_server_leads_to_the_home_page():
    text = (TOP / "docs" / "redirect" / "index.html").read_text()
    assert 'url=docs/index.html"' in text and (TOP / "docs" / "index.md").is_file()
    assert (PACKAGE.parent.parent / "docs") == TOP / "docs"

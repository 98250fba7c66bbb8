"""The hash of source files covers their code, and follows what they import."""

import pytest

from dpbandits.compiled.sources import SHARED
from dpbandits.contracts.versions import decides_a_run
from dpbandits.files import PACKAGE
from dpbandits.fingerprint import _read, closure, fingerprint

CODE = '''"""A module."""

# a comment
def add(a, b):
    """The sum."""
    return a + b  # of two


SAYS = "one # of two"
SAYS = 'it\\'s # two'
LINE = "green", "solid"


class Pair:
    """Two numbers."""
'''
TEXT = 'SAYS = """\n# no comment\n"""\n'


def hashed(tmp_path, text):
    file = tmp_path / "module.py"
    file.write_text(text)
    _read.cache_clear()
    return fingerprint(file)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("The sum.", "Their sum.", False),
        ("A module.", "Another\nmodule.", False),
        ("# a comment\n", "", False),
        ("Two numbers.", "Numbers.", False),
        ("  # of two", "", False),
        ("# of two\n\n", "# of three\n\n", False),
        ('"green", "solid"', '"blue"', False),
        ('LINE = "green", "solid"', 'LINE = "green", "solid", pull', True),
        ("one # of two", "one # of three", True),
        ("s # two", "s # three", True),
        ("a + b", "a - b", True),
        ("class Pair", "class Two", True),
        ('"""The sum."""\n', '"""The sum."""; a = 0\n', True),
        ("# a comment\n", TEXT, True),
    ],
)
def test_an_edit_of_code_changes_the_hash_and_one_of_words_does_not(tmp_path, old, new, changes):
    assert old in CODE
    assert (hashed(tmp_path, CODE) != hashed(tmp_path, CODE.replace(old, new))) == changes


def test_lines_of_text_that_look_like_comments_are_code(tmp_path):
    with_text = CODE + TEXT
    edited = with_text.replace("# no comment", "# none")
    assert hashed(tmp_path, with_text) != hashed(tmp_path, edited)


def test_the_closure_follows_imports_but_not_all_that_authoring_passes_on():
    names = {
        file.relative_to(PACKAGE).as_posix() for file in closure([PACKAGE / "algorithms/ucb.py"])
    }
    assert {"algorithms/ucb.py", "game.py", "parts/indices/optimism.py"} <= names
    assert not {"authoring.py", "parts/linear/design.py", "cli/run.py"} & names


def test_machine_code_is_named_by_all_files_that_can_end_up_in_it():
    """Control: without the accounting of Gaussian noise, which kernels call, a file is missing."""

    def missing(shared):
        places = [PACKAGE / name for name in shared]
        files = [
            f for place in places for f in (place.rglob("*.py") if place.is_dir() else [place])
        ]
        return {file.name for file in set(closure(files)) - {*files} if decides_a_run(file)}

    assert not missing(SHARED)
    assert missing(set(SHARED) - {"contracts/gaussian_dp.py"}) == {"gaussian_dp.py"}

"""Find what tests run from the documents: commands, code and the files that documents describe."""

import re
import shlex
from pathlib import Path

SMALL = {
    "bandit-run": ["horizon=2000", "runs=2"],
    "bandit-claims": ["horizon=2000", "runs=2"],
    "bandit-stop": ["cap=2000", "runs=2"],
    "bandit-audit": ["runs=200"],
    "bandit-budget": ["runs=100"],
}
# In the code of documents
SMALL_CODE = {
    "horizon=1e7)": "horizon=1e4, runs=2)",
    "policy=Mine, eps=[0.1, 1]": "policy=Mine, eps=[0.1, 1], horizon=8, runs=200, jobs=1",
}
CLUSTER = ("HOST", "slurm")


def blocks(text, language):
    """Return the code blocks of a document in one language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.S)


def small_code(text):
    """Return the Python blocks of a document that are not files, with fewer rounds and runs."""
    for code in blocks(text, "python"):
        if code not in files_of_blocks(text).values():
            for large, small in SMALL_CODE.items():
                code = code.replace(large, small)
            yield code


def commands(text):
    """Return the lines of a document that call the package's commands and do not need a cluster."""
    lines = "\n".join(blocks(text, "sh")).splitlines()
    found = [
        line.split(" #")[0].strip() for line in lines if line.startswith(("bandit-", "dpbandits "))
    ]
    return [line for line in found if not any(word in line for word in CLUSTER)]


def files_of_blocks(text):
    """Return the files that a document describes by a path in a folder ``mine``, followed by a code
    block.
    """
    named = r"in `(mine/[\w/]+\.\w+)`((?:(?!```).)*?)```(?:python|yaml|text)\n(.*?)```"
    return {name: code for name, _, code in re.findall(named, text, flags=re.S)}


def _expanded(word, folder):
    """Return the files that match a pattern such as ``results/*.csv``, or the word if it is no
    pattern.
    """
    found = sorted(Path(folder).glob(word)) if word.endswith("*.csv") else []
    return [str(file.relative_to(folder)) for file in found] or [word]


def words_of(line, folder, small=True):
    """Return the words of a command, with patterns replaced by files, for a small run unless
    ``small`` is false.
    """
    words = [w for word in shlex.split(line) for w in _expanded(word, folder)]
    if small and words[0] in SMALL and not {"--help", "exact=true"} & set(words):
        own = [x for x in SMALL[words[0]] if not {"horizon=rows"} & {*words} or "horizon" not in x]
        if "runs=auto" in words:
            dropped, own = "max_runs=", [*own[:-1], "max_runs=200"]
        else:
            dropped = "runs="
        words = [w for w in words if not w.startswith(dropped)] + own
    return words

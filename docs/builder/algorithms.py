"""A page for each algorithm and stopping rule: its guarantee, and the paper beside the code."""

import ast
import re
from functools import cache

import dpbandits as dp
from dpbandits.contracts.algorithm import Algorithm, find_file, load
from dpbandits.contracts.display import display_name
from dpbandits.files import package_folder
from dpbandits.settings.composed import read_group
from dpbandits.settings.groups import about, default_keys, names_in

from .commands import keys
from .documents import TOP
from .markdown import code, listing, paragraphs, table, toctree

GROUPS = {"algo": ("Algorithms", "algorithms"), "rule": ("Stopping rules", "rules")}
HOMES = {"algo": "algorithms", "rule": "stopping"}
REFERENCES = (
    "references", "stopping_references", "identification_references", "linear_references",
    "private_references", "greedy_references", "oracle_references",
)  # fmt: skip
# Environments for examples: an algorithm is shown on the first that it accepts
EXAMPLES = (
    "bernoulli_c2", "pareto_v09", "ren_gaussian", "contaminated", "student_far", "linear_sphere",
    "contextual", "labels",
)  # fmt: skip
STOPPED = {
    "stopping": "env=sign env.mean=-0.2",
    "best arm": "env=bernoulli 'env.means=[.9,.6]'",
    "hypotheses": "env=bernoulli 'env.means=[.3]' mu0=.3 mu1=.7",
}
KINDS = (
    ("Without privacy", lambda a: a.guarantee is None or not a.private),
    ("Global DP: a trusted server", lambda a: a.guarantee.notion == "global"),
    ("Global zCDP and RDP", lambda a: a.guarantee.notion.startswith("global")),
    ("Joint DP: contexts and rewards are private", lambda a: "joint" in a.guarantee.notion),
    ("Local DP: nobody is trusted", lambda a: True),
)


def pages() -> dict[str, str]:
    """The pages, with one that lists the algorithms and one that lists the stopping rules."""
    found = {}
    for group, (heading, folder) in GROUPS.items():
        made = [load(find_file(name, (), group)) for name in names_in(group)]
        found |= {f"{folder}/{a.name}": page(a) for a in made}
        found[folder] = _list(heading, folder, made)
    return found


def _list(heading: str, folder: str, made: list[Algorithm]) -> str:
    parts = [f"# {heading}", INTRODUCTIONS[folder]]
    rest = list(made)
    for kind, belongs in KINDS:
        chosen = [a for a in rest if belongs(a)]
        rest = [a for a in rest if a not in chosen]
        if chosen:
            rows = [
                (f"[{display_name(a.name)}]({folder}/{a.name}.md)", f"`{a.name}`", _about(a))
                for a in chosen
            ]
            parts += [f"## {kind}", table(("name", f"`{made[0].group}=`", "what it is"), rows)]
    entries = [f"docs/generated/{folder}/{a.name}" for a in made]
    return paragraphs(*parts, toctree(entries, "hidden:"))


INTRODUCTIONS = {
    "algorithms": """\
Each page contains the privacy guarantee of an algorithm, its parameters, and two programs: a slow
one that follows the paper step by step, and the fast one that the package runs. In Python,
`dp.algorithms()` returns this list. [recommendations.md](../recommendations.md) recommends
algorithms under eps-global DP, and [errata.md](../errata.md) lists formulas that are wrong in a
paper, with our corrections.""",
    "rules": """\
A stopping rule samples until it has an answer. The answer is the mean of an arm up to a relative
error ([stopping.md](../stopping.md)), or the best of several arms, or one of two hypotheses about a
mean ([identification.md](../identification.md)). `bandit-stop` and `dp.stop` run stopping rules. In
Python, `dp.rules()` returns this list.""",
}


def page(algorithm: Algorithm) -> str:
    """The page of an algorithm or a stopping rule."""
    name, group = algorithm.name, algorithm.group
    source = f"src/dpbandits/{HOMES[group]}/{name}.py"
    facts = [
        (f"`{group}=`", f"`{name}`"),
        ("guarantee", algorithm.promise()),
        ("rewards", _rewards(algorithm)),
        ("time of a run", _time(algorithm)),
    ]
    if algorithm.guarantee is not None and algorithm.guarantee.alignment is not None:
        facts.insert(2, ("alignment", f"shifts {algorithm.guarantee.alignment.says}"))
    return paragraphs(
        f"# {display_name(name)}",
        _about(algorithm),
        table(("", ""), facts),
        "## Parameters",
        _parameters(algorithm),
        *_run(algorithm),
        "## Step by step",
        "We wrote this slow reference from the paper. The tests compare it with the kernel below: "
        "without noise both play the same arms, and with noise their pulls have the same law.",
        code("python", pseudo_code(name)),
        "## The kernel",
        f"The package runs this file, `{source}`. The functions that it calls are described in "
        "[dpbandits.authoring](../authoring.md).",
        listing(source, "python"),
        *_experiments(algorithm),
    )


def _about(algorithm: Algorithm) -> str:
    return about(algorithm.group, algorithm.name)


def _rewards(algorithm: Algorithm) -> str:
    return algorithm.rewards.words if algorithm.rewards is not None else "any rewards"


def _time(algorithm: Algorithm) -> str:
    if algorithm.round_by_round:
        return "proportional to the horizon, since the algorithm decides in every round"
    return "hardly depends on the horizon, since the algorithm plays blocks of rounds"


def _parameters(algorithm: Algorithm) -> str:
    own = read_group(algorithm.group, algorithm.name)
    common = {**default_keys(algorithm.question.keys_file), "eps": 1, "rho": 1}
    of_keys = {key.strip("`="): meaning for key, _, meaning in keys(algorithm.question.keys_file)}
    meanings = of_keys | _comments(algorithm) | _meanings(algorithm)
    rows = []
    for name, domain in algorithm.domains.items():
        key = f"{algorithm.group}.{name}" if name in own else name
        default = own.get(name, common.get(name, ""))
        rows.append((f"`{key}=`", f"`{default}`", domain.allowed, meanings.get(name, "")))
    if not rows:
        return "None."
    return table(("key", "default", "allowed", "meaning"), rows)


def _comments(algorithm: Algorithm) -> dict[str, str]:
    """What the configuration says of each parameter."""
    file = package_folder("conf") / algorithm.group / f"{algorithm.name}.yaml"
    return dict(re.findall(r"^(\w+): .*?  +# (.*)$", file.read_text(), flags=re.M))


def _meanings(algorithm: Algorithm) -> dict[str, str]:
    """What the docstring says of each parameter."""
    plain = getattr(algorithm.function, "py_func", algorithm.function)
    _, _, listed = (plain.__doc__ or "").partition("Args:\n")
    listed = re.split(r"\n\s*\n", listed)[0]
    entries = re.split(r"\n(?=        \w+: )", "\n" + listed.rstrip())
    pairs = [entry.strip().split(": ", 1) for entry in entries if ": " in entry]
    return {name: " ".join(words.split()) for name, words in pairs}


def _run(algorithm: Algorithm) -> list[str]:
    """How it is run, and the theorems on that setting."""
    name = algorithm.name
    budget = {None: "", "eps": " eps=0.5", "rho": " rho=0.5"}[algorithm.budget]
    argument = budget.replace(" ", ", ")
    if algorithm.group == "rule":
        lines = f"bandit-stop rule={name} {STOPPED[algorithm.question.name]}{budget}"
        if algorithm.private:
            lines += f"\nbandit-audit rule={name}{budget}"
        return ["## Run it", code("sh", lines)]
    env, theorems = _example(algorithm)
    lines = f"bandit-run algo={name} env={env}{budget}"
    lines += f"\nbandit-audit algo={name}{budget}" if algorithm.private else ""
    python = (
        f'import dpbandits as dp\n\ntable = dp.run("{name}", "{env}"{argument})\ndp.plot(table)'
    )
    parts = ["## Run it", code("sh", lines), code("python", python)]
    if theorems:
        head = ("bound", "side", "kind", "formula")
        parts += [
            "## Theorems",
            f"These theorems apply to the algorithm on the environment `{env}`:",
            table(head, theorems),
        ]
    return parts


def _example(algorithm: Algorithm) -> tuple[str, list[tuple[str, ...]]]:
    """An environment that it accepts, and the theorems that apply there."""
    for env in EXAMPLES:
        try:
            bounds = dp.bounds(algorithm.name, env)
        except dp.BadInput:
            continue
        rows = bounds[["bound", "side", "kind", "formula"]].itertuples(index=False)
        return env, [(r.bound, r.side, r.kind, f"`{r.formula}`") for r in rows]
    raise LookupError(f"{algorithm.name}: no environment of EXAMPLES is accepted")


def _experiments(algorithm: Algorithm) -> list[str]:
    """The figures in which it appears."""
    shown = [
        name
        for name in names_in("experiment")
        if re.search(rf"\b{algorithm.name}\b", (TOP / f"conf/experiment/{name}.yaml").read_text())
    ]
    lines = [f"* [{name}](../../gallery.md#{name}): {about('experiment', name)}" for name in shown]
    return ["## Experiments", "\n".join(lines)] if lines else []


@cache
def _functions(module: str) -> dict[str, tuple[str, set[str]]]:
    """The functions and classes of a file of slow references, and what else has a name there: their
    source, and the names in it.
    """
    text = (TOP / "tests" / "oracles" / f"{module}.py").read_text()
    found = {}
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = source, _names(node)
        elif isinstance(node, ast.Assign):
            made = set[str]().union(*map(_names, node.targets))
            found |= dict.fromkeys(made, (source, _names(node.value)))
    return found


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def pseudo_code(name: str) -> str:
    """The slow reference of an algorithm, and after it what it calls.

    Raises:
        LookupError: there is none.
    """
    functions = next((f for f in map(_functions, REFERENCES) if name in f), None)
    if functions is None:
        raise LookupError(f"{name}: no file of tests has a slow reference of it")
    needed, new = set(), {name}
    while new:
        needed |= new
        new = {n for each in new for n in functions[each][1] if n in functions} - needed
    called = [n for n in functions if n in needed and n != name]
    return "\n\n\n".join(functions[n][0] for n in [name, *reversed(called)])

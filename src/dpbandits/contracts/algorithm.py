"""An algorithm or a stopping rule: what its file or function declares, and how it is found."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from numbers import Real
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from ..compiled import is_compiled
from ..errors import BadInput, first_line, plain
from ..files import PACKAGE
from . import display
from .assumptions import Assumption, Bounded
from .guarantees import Guarantee
from .parameters import BUDGETS, Domain, Named, domain_of
from .question import ARMS, QUESTIONS, REGRET, USERS, Question, question_for
from .versions import unfollowed_in, version_of_file, version_of_function

MAX_NAME_CHARACTERS = 200
POLICIES = "dpbandits.policies"  # the module that plays the objects of classes
HOMES = {"algo": PACKAGE / "algorithms", "rule": PACKAGE / "stopping"}


@dataclass(frozen=True)
class Algorithm:
    """An algorithm or a stopping rule, as its signature and the constants beside it describe it.

    Attributes:
        name: the name of the function, of its file and of its configuration.
        group: ``algo`` or ``rule``.
        function: ``function(game, rng, *parameters)``, compiled or plain Python.
        domains: the values that each parameter may take, in the order of the signature.
        rewards: what it assumes of the rewards, or None.
        guarantee: what it promises, or None if that is not declared.
        round_by_round: whether its running time grows with the horizon.
        leading_term: for local privacy, the leading term of its regret (in theory/ren2020.py).
        any_rewards: the name of its variant for unbounded rewards, or None.
        unused: values of parameters that change nothing where another one has a value: pairs of
            name and value. NUMBER is any number, unless the guarantee consists of the parameter.
        question: the question that it answers.
        version: hash of the sources that decide what it does; for a user's, of all that the loaded
            function uses.
        unfollowed: what a user's function uses that its version does not notice, in words.
        reports: whether it plays on if outliers replace what its users send.
        file: the file that defines it, or None for a function that was passed as such.
        defaults: default values in its signature.
        shown: a user's printed name and line in figures, ``NAME`` and ``LINE``.
    """

    name: str
    group: str
    version: str
    function: Callable = field(compare=False, repr=False)
    domains: dict[str, Domain] = field(compare=False, repr=False)
    rewards: Assumption | None = field(default=None, compare=False, repr=False)
    guarantee: Guarantee | None = field(default=None, compare=False, repr=False)
    round_by_round: bool = field(default=False, compare=False, repr=False)
    leading_term: str | None = field(default=None, compare=False, repr=False)
    any_rewards: str | None = field(default=None, compare=False, repr=False)
    unused: Mapping[tuple[str, str], tuple[str, str]] = field(
        default_factory=dict, compare=False, repr=False
    )
    reports: bool = field(default=False, compare=False, repr=False)
    question: Question = field(default=REGRET, compare=False, repr=False)
    file: Path | None = field(default=None, compare=False, repr=False)
    defaults: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    unfollowed: tuple[str, ...] = field(default=(), compare=False, repr=False)
    shown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self):
        """Other processes load an algorithm from its file, one of the package from their own
        installation; a function is sent as it is.
        """
        if self.file is not None:
            ours = self.file.parent in HOMES.values()
            return (load_ours, (self.name, self.group)) if ours else (load_elsewhere, (self.file,))
        return Algorithm, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def compiled(self) -> bool:
        """Whether it is a compiled kernel."""
        return is_compiled(self.function)

    @property
    def declared(self) -> str:
        """Hash of what a user declares of the rewards and of the promise; the version of one of the
        package has it.
        """
        ours = self.file is not None and self.file.parent in HOMES.values()
        return "" if ours else version_of_function((self.rewards, self.guarantee))

    @property
    def of_class(self) -> bool:
        """Whether it plays the objects of a class that choose arms."""
        return self.function.__module__ == POLICIES

    @property
    def per_user(self) -> bool:
        """Whether users may have privacy levels of their own: whether it takes ``eps_min``."""
        return "eps_min" in self.domains

    @property
    def actions(self) -> str:
        """The information that the algorithm has about the actions that it plays."""
        return ARMS if self.rewards is None else self.rewards.actions

    @property
    def question_played(self) -> Question:
        """The question that it answers on the environments that it can play."""
        return question_for(self.question, self.actions) or self.question

    @property
    def budget(self) -> str | None:
        """The name of its privacy budget, one of BUDGETS; None if it takes none."""
        if self.per_user:
            return "eps"
        return next((name for name in BUDGETS if name in self.domains), None)

    @property
    def usual_budget(self) -> Any:
        """The privacy budget if none is given: the default in the signature, or 1."""
        return self.defaults.get(self.budget or "", 1.0)

    @property
    def private(self) -> bool:
        """Whether it takes a privacy budget."""
        return self.budget is not None

    def without(self, budget: str) -> str:
        """Why it does not take a privacy budget of this name, in words."""
        if not self.private:
            return f"{self.name} is not private and takes no {budget}; leave it out"
        return takes_another(self.name, budget, self.budget)

    def numbers(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values of parameters, a name as the number that kernels receive."""
        found = dict(values)
        for name, domain in self.domains.items():
            if isinstance(domain, Named) and isinstance(word := found.get(name), str):
                found[name] = domain.names.get(word, word)
        return found

    def guarantee_at(self, values: Mapping[str, Any]) -> Guarantee | None:
        """What it promises at these arguments (see ``Guarantee.at``), or None if not declared."""
        return self.guarantee and self.guarantee.at(self.numbers(values))

    def promise(self, values: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Its guarantee as a sentence; a parameter without a value is printed as its name. What
        depends on the number of arms or on the horizon needs values of K and of T.
        """
        if self.guarantee is None:
            return "no guarantee is declared" if self.private else "not private"
        needs = self.rewards.words if self.rewards is not None else "any rewards"
        return self.guarantee.in_words(self.numbers(values), needs)


def takes_another(name: str, budget: str, own: str | None) -> str:
    """That an algorithm or a release takes another privacy budget, in words."""
    return f"{name} takes no {budget}; its privacy budget is {own}"


def find_file(name: str, folders: tuple[str, ...] = (), group: str = "algo") -> Path:
    """The file of an algorithm: ``algo/NAME.py`` in a user's folder, or one of the package's; that
    of a stopping rule is in the folder ``rule``, its group.

    Raises:
        BadInput: no file has that name.
    """
    if Path(name).name != name or len(name) > MAX_NAME_CHARACTERS:
        raise BadInput(f"{group}={name}: a short name is needed, not a path")
    files = [Path(folder).resolve() / group / f"{name}.py" for folder in folders]
    files.append(HOMES[group] / f"{name}.py")
    for file in filter(Path.is_file, files):
        return file
    raise BadInput(f"{group}={name}: no file {files[0]} defines it")


@cache
def load(file: Path) -> Algorithm:
    """Import an algorithm from its file.

    Raises:
        BadInput: the file cannot be imported, or does not define a function of its own name.
    """
    group = next((g for g, home in HOMES.items() if home == file.parent), file.parent.name)
    where = f"{group}={file.stem}: {file}"
    module = import_file(file, group)
    function, constants = getattr(module, file.stem, None), vars(module)
    if group == "algo" and (make := _class_of(module, file.stem)) is not None:
        function, constants = _plays(make), {**vars(make), **constants}
    if not callable(function):
        no = f"no function {file.stem}(game, rng, ...)"
        raise BadInput(f"{where} defines {no}{' and no class' if group == 'algo' else ''}")
    return _declared(file.stem, group, function, constants, where, file)


def _class_of(module: ModuleType, name: str) -> type | None:
    """The class that a file defines for an algorithm: the class with the name of the file or, if
    nothing in the file has this name, the only class without an underscore before its name.
    """
    own = [x for x in vars(module).values() if isinstance(x, type)]
    own = [x for x in own if x.__module__ == module.__name__]
    named = getattr(module, name, None)
    if named is not None:
        return named if isinstance(named, type) else None
    public = [x for x in own if not x.__name__.startswith("_")]
    return public[0] if len(public) == 1 else None


def _plays(make: Callable[..., Any]) -> Callable[..., None]:
    """The algorithm that plays the policies of a class. Its module is imported by its name, like an
    algorithm, since it plays games.
    """
    played: Callable[..., None] = importlib.import_module(POLICIES).algorithm_of(make)
    return played


def load_ours(name: str, group: str) -> Algorithm:
    """Load an algorithm of the package in another process, whose package may lie elsewhere."""
    return load_elsewhere(HOMES[group] / f"{name}.py")


def load_elsewhere(file: Path) -> Algorithm:
    """Load an algorithm in another process, where playing it raises the error if that fails.

    An error while a task is unpickled could not be distinguished from the death of the worker.
    """
    try:
        return load(file)
    except BadInput as error:
        reason = str(error)

    def broken(game, rng):
        raise BadInput(reason)

    group, version = file.parent.name, f"none ({reason})"
    return Algorithm(file.stem, group, version, broken, domains={}, file=file)


def from_function(
    function: Callable,
    group: str = "algo",
    rewards: Assumption | tuple[float, float] | None = None,
    guarantee: Guarantee | None = None,
    makes_policies: bool = False,
) -> Algorithm:
    """The algorithm that a function or a class defines, with its assumption on the rewards and its
    guarantee.

    A function is plain or decorated with ``kernel``, and can be written in a notebook. The objects
    of a class choose arms.

    Args:
        function: the function, or the class.
        group: ``algo`` or ``rule``.
        rewards: what it assumes of the rewards.
        guarantee: what it promises.
        makes_policies: whether the function returns an object that chooses arms, as a class does.

    Raises:
        BadInput: the signature is not the signature of an algorithm, or the package uses the name.
    """
    try:
        name = getattr(function, "py_func", function).__name__
        if not isinstance(function, type):
            inspect.signature(function)
    except Exception:  # of a class or an object that can be called
        name = ""
    if not (isinstance(name, str) and name.isidentifier()):
        raise BadInput(
            f"{group}={plain(function)}: a function with a name is needed, defined by def"
        )
    file = HOMES[group] / f"{name}.py"
    if file.is_file():
        ours = load(file)
        if ours.function is function:
            return ours
        raise BadInput(f"{group}={name}: the package uses this name; rename the function")
    constants = {"REWARDS": rewards, "GUARANTEE": guarantee}
    if makes_policies or isinstance(function, type):
        if group != "algo":
            raise BadInput(f"{group}={name}: a function f(game, rng, ...) is needed, not a class")
        own = getattr(function, "__dict__", {})  # a function of Python's own has none
        constants = {**own, **{k: x for k, x in constants.items() if x is not None}}
        function = _plays(function)
    return _declared(name, group, function, constants, f"{group}={name}", None)


def _declared(name, group, function, constants, where, file):
    """The algorithm that a function and the constants beside it define, checked."""
    written = getattr(function, "py_func", function)
    signature = inspect.signature(written).parameters
    parameters = list(signature)
    if parameters[:2] != ["game", "rng"]:
        raise BadInput(f"{where}: the function must start {name}(game, rng, ...")
    if any(p.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD for p in signature.values()):
        raise BadInput(f"{where}: its parameters must have no * and no /")
    try:
        hints = typing.get_type_hints(written, include_extras=True)
    except Exception as error:
        raise BadInput(f"{where}: annotations ({first_line(error)})") from error
    rewards, guarantee = constants.get("REWARDS"), constants.get("GUARANTEE")
    if isinstance(rewards, tuple) and len(rewards) == 2:
        numbers = all(isinstance(x, Real) for x in rewards)
        rewards = Bounded(*rewards) if numbers and rewards[0] < rewards[1] else rewards
    if rewards is not None and not isinstance(rewards, Assumption):
        raise BadInput(f"{where}: REWARDS must be a pair (least, largest), an Assumption or None")
    if guarantee is not None and not isinstance(guarantee, Guarantee):
        raise BadInput(f"{where}: GUARANTEE must be a Guarantee, such as global_dp(SOURCE)")
    if guarantee is not None and guarantee.gaussian is not None:
        for letter in guarantee.letters:
            if letter not in parameters:
                raise BadInput(f"{where}: {guarantee.notion} needs a parameter {letter}")
    own = {n: p.default for n, p in signature.items() if p.default is not inspect.Parameter.empty}
    question = constants.get("QUESTION") or next(q for q in QUESTIONS if q.group == group)
    for key in own.keys() & set(question.goal_names):
        raise BadInput(f"{where}: {key} is a key of {question.command}; leave its default out")
    by_round = rewards is not None and rewards.actions == USERS  # each of whom is shown
    long = constants.get("ROUND_BY_ROUND", by_round or None)
    ours = file is not None and file.parent in HOMES.values()
    return Algorithm(
        name=name,
        group=group,
        version=version_of_file(file) if ours else version_of_function(function),
        unfollowed=() if ours else unfollowed_in(function),
        function=function,
        domains={p: domain_of(hints.get(p), p) for p in parameters[2:]},
        rewards=rewards,
        guarantee=guarantee,
        round_by_round=not is_compiled(function) if long is None else long,
        leading_term=constants.get("LEADING_TERM"),
        any_rewards=constants.get("ANY_REWARDS"),
        unused=constants.get("UNUSED") or {},
        reports=bool(constants.get("REPORTS")),
        question=question,
        file=file,
        defaults=own,
        shown={} if ours else _shown(name, constants, where),
    )


def _shown(name: str, constants: Mapping[str, Any], where: str) -> dict[str, Any]:
    """How an algorithm of a user is shown, checked."""
    found = display.declare_own(name, constants)
    for key in {"NAME", "LINE"} & constants.keys() - found.keys():
        needed = {
            "NAME": f"a line of at most {display.MAX_PRINTED_CHARACTERS} characters is needed",
            "LINE": f"a colour and one of {', '.join(display.DASHES)} are needed, as text",
        }
        raise BadInput(f"{where}: {key}={plain(constants[key])}: {needed[key]}")
    return found


def import_file(file: Path, group: str) -> ModuleType:
    """Import a Python file: one of the package, or one in a user's folder of that group, which can
    import its neighbours. They come after all other modules of their names.

    Raises:
        BadInput: it cannot be imported.
    """
    try:
        if file.parent in HOMES.values():
            return importlib.import_module(f"dpbandits.{file.parent.name}.{file.stem}")
        # The module's name is part of the names of machine code. Two files of one name, or two
        # states of a file, must not share it: the linker would take the code of the first for both.
        state = hashlib.sha256(f"{file}\n".encode() + file.read_bytes()).hexdigest()[:12]
        name = f"dpbandits_{group}_{file.stem}_{state}"
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        _let_import_neighbours(file.parent)
        spec.loader.exec_module(module)
        return module
    except (Exception, SystemExit) as error:
        where = f"{group}={file.stem}"
        raise BadInput(f"{where}: cannot import {file} ({first_line(error)})") from error


def _let_import_neighbours(folder: Path) -> None:
    """Let files import the modules in a user's folder rather than those of other users' folders."""
    others = [x for x in _imported_from if x != folder]
    for name, module in list(sys.modules.items()):
        file, top = getattr(module, "__file__", None), name.partition(".")[0]
        theirs = file and any(Path(file).is_relative_to(other) for other in others)
        if theirs and ((folder / f"{top}.py").is_file() or (folder / top).is_dir()):
            del sys.modules[name]
    _imported_from[:] = [folder, *others]
    own = list(map(str, _imported_from))
    sys.path[:] = [*(x for x in sys.path if x not in own), *own]


_imported_from: list[Path] = []  # the folders of users from which files were imported, latest first

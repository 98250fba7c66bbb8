"""Algorithms and stopping rules: find and load them, and read what they declare."""

from __future__ import annotations

import dis
import importlib
import importlib.util
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from numbers import Real
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ..compiled import is_compiled
from ..errors import MEANT, BadInput, first_line, plain, together
from ..files import PACKAGE
from . import display
from .assumptions import Assumption, Bounded
from .guarantees import Guarantee
from .importing import import_file, state_of
from .parameters import BUDGETS, Domain, Named, domain_of
from .question import ARMS, QUESTIONS, REGRET, USERS, Question, question_for
from .versions import Followed, version_of_file

MAX_NAME_CHARACTERS = 200
POLICIES = "dpbandits.policies"  # the module that plays the objects of classes
HOMES = {"algo": PACKAGE / "algorithms", "rule": PACKAGE / "stopping"}


@dataclass(frozen=True)
class Algorithm:
    """An algorithm or a stopping rule, described by its signature and by constants in its file.

    Attributes:
        name: the name of the function, of its file and of its configuration.
        group: ``algo`` or ``rule``.
        function: ``function(game, rng, *parameters)``, compiled or plain Python.
        domains: the values that each parameter may take, in the order of the signature.
        rewards: the assumption on the rewards, or None.
        guarantee: the privacy guarantee, or None if none is declared.
        round_by_round: whether the algorithm decides in every round, so that its running time grows
            with the horizon.
        leading_term: for local privacy, the name of the leading term of the regret
            (``LEADING_TERMS`` in theory/ren2020.py), or None.
        any_rewards: the name of the variant for unbounded rewards, or None.
        unused: values without effect. If ``unused[a, x]`` is ``(b, y)``, the value x of parameter a
            has no effect while parameter b has the value y. If x is NUMBER, this holds for every
            number, unless the guarantee depends on a.
        question: the question that the algorithm answers.
        version: hash of the sources that decide what the algorithm does; for a user's function,
            hash of everything that the loaded function uses.
        unfollowed: what a user's function uses although the version does not cover it, in words.
            A change of these things does not change the version.
        reports: whether the algorithm can play if outliers replace what its users send.
        file: the file that defines the algorithm, or None if the function itself was passed.
        defaults: default values in the signature.
        shown: for a user's algorithm, the constants ``NAME``, the printed name, ``LINE``, the line
            in figures, and ``labels``, the texts that figures print for parameters.
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
        """Pickle the algorithm for another process.

        The other process loads the algorithm from its file. An algorithm of the package is loaded
        from the other process's installation. An algorithm without a file is sent with its
        function.
        """
        if self.file is not None:
            folder = None if in_package(self.file) else self.file.parent
            return load_elsewhere, (self.group, self.name, folder, self.version)
        return Algorithm, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def refreshed(self) -> Algorithm:
        """Return the algorithm with its present version: if the user's function has no file, values
        that it uses may have changed since.
        """
        if self.file is not None:
            return self
        followed = Followed(self.function)
        if self.compiled:
            written = getattr(self.function, "py_func", self.function)
            _refuse_changed(f"{self.group}={self.name}", written, followed.version)
        return replace(self, version=followed.version, unfollowed=tuple(followed.lost))

    @property
    def compiled(self) -> bool:
        """Whether the function is a compiled kernel."""
        return is_compiled(self.function)

    @property
    def declared(self) -> str:
        """The hash of the assumption and the guarantee that a user's algorithm declares.

        For an algorithm of the package the hash is empty, since its version covers its
        declarations.
        """
        ours = in_package(self.file)
        return "" if ours else Followed((self.rewards, self.guarantee)).version

    @property
    def of_class(self) -> bool:
        """Whether the algorithm plays policies: objects of a class that choose arms."""
        return self.function.__module__ == POLICIES

    @property
    def per_user(self) -> bool:
        """Whether users may have individual privacy levels, so that ``eps_min`` is a parameter."""
        return "eps_min" in self.domains

    @property
    def actions(self) -> str:
        """The kind of actions that the algorithm plays: ARMS, FEATURES, CONTEXTS or USERS."""
        return ARMS if self.rewards is None else self.rewards.actions

    @property
    def question_played(self) -> Question:
        """The question that the algorithm answers, given the environments that it can play."""
        return question_for(self.question, self.actions) or self.question

    @property
    def budget(self) -> str | None:
        """The name of the privacy budget, ``eps`` or ``rho``; None if the algorithm takes no
        budget.
        """
        if self.per_user:
            return "eps"
        return next((name for name in BUDGETS if name in self.domains), None)

    @property
    def usual_budget(self) -> Any:
        """The default privacy budget: the default in the signature, or 1."""
        return self.defaults.get(self.budget or "", 1.0)

    @property
    def private(self) -> bool:
        """Whether the algorithm takes a privacy budget."""
        return self.budget is not None

    def without(self, budget: str) -> str:
        """Return the error message for a privacy budget that the algorithm does not take."""
        if not self.private:
            like = [name for name in self.domains if MEANT.get(name) == budget]
            hint = f"; if {like[0]} is its privacy budget, name it {budget}" if like else ""
            return f"{self.name} is not private and takes no {budget}; leave it out{hint}"
        return takes_another(self.name, budget, self.budget)

    def numbers(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values of parameters in which each option's name is replaced by its number."""
        found = dict(values)
        for name, domain in self.domains.items():
            if isinstance(domain, Named) and isinstance(word := found.get(name), str):
                found[name] = domain.names.get(word, word)
        return found

    def guarantee_at(self, values: Mapping[str, Any]) -> Guarantee | None:
        """Return the guarantee at these arguments (see ``Guarantee.at``); None if there is none."""
        return self.guarantee and self.guarantee.at(self.numbers(values))

    def promise(self, values: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Return the guarantee as a phrase.

        Args:
            values: the parameters by name, and K and T if the guarantee depends on the number of
                arms or on the horizon. A missing value is printed as the name of its parameter.
        """
        if self.guarantee is None:
            return "no guarantee is declared" if self.private else "not private"
        needs = self.rewards.words if self.rewards is not None else "any rewards"
        return self.guarantee.in_words(self.numbers(values), needs)


def in_package(file: Path | None) -> bool:
    """Return whether a file defines an algorithm or a stopping rule of the package."""
    return file is not None and file.parent in HOMES.values()


def takes_another(name: str, budget: str, own: str | None) -> str:
    """Return the error message for a budget of the wrong name, such as rho in place of eps."""
    return f"{name} takes no {budget}; its privacy budget is {own}"


def find_file(name: str, folders: tuple[str, ...] = (), group: str = "algo") -> Path:
    """Return the file of an algorithm or a stopping rule.

    The file is ``algo/NAME.py`` or, for a stopping rule, ``rule/NAME.py``. The user's folders are
    searched first, then the package.

    Raises:
        BadInput: no file has that name.
    """
    if Path(name).name != name or len(name) > MAX_NAME_CHARACTERS:
        raise BadInput(f"{group}={name}: a short name is needed, not a path")
    files = [Path(folder).resolve() / group / f"{name}.py" for folder in folders]
    files.append(HOMES[group] / f"{name}.py")
    for file in filter(Path.is_file, files):
        return file
    raise BadInput(f"{group}={name}: there is no file {files[0]}")


def load(file: Path) -> Algorithm:
    """Import an algorithm from its file. A user's file is imported again if a Python file in its
    folder has changed meanwhile.

    Raises:
        BadInput: the file cannot be imported, or does not define a function with the name of the
            file.
    """
    return _load(file, () if in_package(file) else state_of(file.parent))


@cache
def _load(file: Path, state: tuple[Any, ...]) -> Algorithm:
    group = next((g for g, home in HOMES.items() if home == file.parent), file.parent.name)
    where = f"{group}={file.stem}: {file}"
    if in_package(file):
        module = importlib.import_module(f"dpbandits.{file.parent.name}.{file.stem}")
    else:
        module = import_file(file, group)
    function, constants = getattr(module, file.stem, None), vars(module)
    if group == "algo" and (make := _class_of(module, file.stem)) is not None:
        function, constants = _plays(make), {**vars(make), **constants}
    if not callable(function):
        raise BadInput(f"{where} defines {_missing_in(module, file.stem, group)}")
    return _declared(file.stem, group, function, constants, where, file)


def _class_of(module: ModuleType, name: str) -> type | None:
    """Return the class that a file defines as an algorithm, or None.

    The class must have the name of the file. If nothing in the file has this name, the result is
    the only class whose name does not begin with an underscore.
    """
    named = getattr(module, name, None)
    if named is not None:
        return named if isinstance(named, type) else None
    public = _public_classes(module)
    return public[0] if len(public) == 1 else None


def _public_classes(module: ModuleType) -> list[type]:
    """Return the classes that a file defines and whose names do not begin with an underscore."""
    classes = (x for x in vars(module).values() if isinstance(x, type))
    own = dict.fromkeys(x for x in classes if x.__module__ == module.__name__)
    return [x for x in own if not x.__name__.startswith("_")]


def _missing_in(module: ModuleType, name: str, group: str) -> str:
    """Return what a file defines instead of an algorithm, as text for an error message."""
    no = f"no function {name}(game, rng, ...)"
    if group != "algo":
        return no
    classes = [x.__name__ for x in _public_classes(module)]
    if not classes:
        return f"{no} and no class"
    return (
        f"{len(classes)} classes, {together(classes)}, and nothing named {name}: give the class "
        f"that chooses arms the name {name}, or begin the names of the other classes with _"
    )


def _plays(make: Callable[..., Any]) -> Callable[..., None]:
    """Return the function that plays the policies of a class.

    The function is in the module POLICIES. POLICIES needs the modules of games, so it is imported
    by its name, and only when it is needed.
    """
    played: Callable[..., None] = importlib.import_module(POLICIES).algorithm_of(make)
    return played


def load_elsewhere(group: str, name: str, folder: Path | None, version: str) -> Algorithm:
    """Load an algorithm in another process. If loading fails, return an algorithm that raises the
    error.

    ``folder`` is None for an algorithm of the package, since the other process may have the package
    in another folder. An algorithm that was loaded with this ``version`` before is used again, even
    if the user has edited its file meanwhile. The error is raised only when the algorithm is
    played: an error that is raised while a task is unpickled would look like the death of the
    worker.
    """
    file = (folder or HOMES[group]) / f"{name}.py"
    try:
        if (file, version) not in _loaded:
            found = load(file)
            _loaded[file, found.version] = found
            return found
        return _loaded[file, version]
    except BadInput as error:
        reason = str(error)

    def broken(game, rng):
        raise BadInput(reason)

    return Algorithm(name, group, f"none ({reason})", broken, domains={}, file=file)


def from_function(
    function: Callable,
    group: str = "algo",
    rewards: Assumption | tuple[float, float] | None = None,
    guarantee: Guarantee | None = None,
    makes_policies: bool = False,
) -> Algorithm:
    """Return the algorithm that a function or a class defines.

    The function is plain Python or decorated with ``kernel``, and may be written in a notebook. If
    a class is given, its objects choose the arms.

    Args:
        function: the function, or the class.
        group: ``algo`` or ``rule``.
        rewards: the assumption on the rewards.
        guarantee: the privacy guarantee.
        makes_policies: whether the function returns an object that chooses arms, as a class does.

    Raises:
        BadInput: the signature does not fit an algorithm, or an algorithm of the package has this
            name.
    """
    try:
        name = getattr(function, "py_func", function).__name__
        if not isinstance(function, type):
            inspect.signature(function)
    except Exception:  # a class or a callable object can raise any error here
        name = ""
    if not (isinstance(name, str) and name.isidentifier()):
        raise BadInput(
            f"{group}={plain(function)}: a function is needed that has a name, as def gives it"
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
        own = getattr(function, "__dict__", {})  # a built-in function of Python has no __dict__
        constants = {**own, **{k: x for k, x in constants.items() if x is not None}}
        function = _plays(function)
    return _declared(name, group, function, constants, f"{group}={name}", None)


def _declared(name, group, function, constants, where, file):
    """Check a function and the constants in its file. The result is the algorithm that the function
    and the constants define.
    """
    written = getattr(function, "py_func", function)
    signature = inspect.signature(written).parameters
    parameters = list(signature)
    if parameters[:2] != ["game", "rng"]:
        raise BadInput(f"{where}: the function must start {name}(game, rng, ...")
    if any(p.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD for p in signature.values()):
        raise BadInput(f"{where}: the parameters must have no * and no /")
    if group == "rule" and not _returns_a_value(written):
        raise BadInput(f"{where}: a rule must return its answer, such as the best arm")
    try:
        hints = typing.get_type_hints(written, include_extras=True)
    except Exception as error:
        raise BadInput(f"{where}: the annotations cannot be read ({first_line(error)})") from error
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
    if not isinstance(question, Question) or question.group != group:
        may = "BEST_ARM or HYPOTHESES, or be left out for the mean of an arm"
        raise BadInput(f"{where}: QUESTION must be {may if group == 'rule' else 'left out'}")
    for key in own.keys() & set(question.goal_names):
        raise BadInput(f"{where}: {key} is a key of {question.command}; leave out the default")
    # the learner is shown each user, so it plays round by round
    by_round = rewards is not None and rewards.actions == USERS
    long = constants.get("ROUND_BY_ROUND", by_round or None)
    ours = in_package(file)
    followed = None if ours else Followed(function)
    if followed is not None and is_compiled(function):
        _refuse_changed(where, written, followed.version)
    return Algorithm(
        name=name,
        group=group,
        version=version_of_file(file) if followed is None else followed.version,
        unfollowed=() if followed is None else tuple(followed.lost),
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


def _refuse_changed(where: str, written: Callable[..., Any], version: str) -> None:
    """Refuse a kernel that uses a value which has changed since the kernel was first used."""
    if _first_versions.setdefault(written, version) != version:
        raise BadInput(
            f"{where}: a value that the kernel uses has changed, but compiled code keeps the old "
            "value; define the kernel again, or make the value a parameter"
        )


def _returns_a_value(function: Callable) -> bool:
    """Return whether a function written in Python can return something other than None."""
    if not inspect.isfunction(function):
        return True
    steps = [*dis.get_instructions(function)]
    ends = [before for before, x in pairwise(steps) if x.opname == "RETURN_VALUE"]
    ends += [x for x in steps if x.opname == "RETURN_CONST"]
    return any("CONST" not in x.opname or x.argval is not None for x in ends)


def _shown(name: str, constants: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Check how a user's algorithm is shown, and return the declared constants."""
    found = display.declare_own(name, constants)
    for key in {"NAME", "LINE"} & constants.keys() - found.keys():
        needed = {
            "NAME": f"a line of at most {display.MAX_PRINTED_CHARACTERS} characters is needed",
            "LINE": f"a colour and one of {', '.join(display.DASHES)} are needed, as text",
        }
        raise BadInput(f"{where}: {key}={plain(constants[key])}: {needed[key]}")
    return found


# The algorithms that another process has sent here, by their files and versions
_loaded: dict[tuple[Path, str], Algorithm] = {}
# The versions of users' kernels when they were first used, by the functions as they were written
_first_versions: WeakKeyDictionary[Callable[..., Any], str] = WeakKeyDictionary()

"""Composing a configuration with Hydra, with every error told in one line."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, Sweep
from hydra.errors import HydraException, MissingConfigException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ...errors import BadInput, plain, unknown
from ...files import check_folder, package_folder
from ...running.backends import Engine
from ...settings.resolve import MOST_POINTS, Composer, grids, swept_names
from ...validation import folder, whole, workers
from ..kinds import BANDITS, KINDS, Form, Kind
from .hydra_settings import leaves, refuse_changes, refuse_overrides


@dataclass(frozen=True)
class Request:
    """What a command line asks for.

    Attributes:
        kind: bandits or stopping rules.
        config: the composed configuration as plain data; algo, env and experiment are names.
        cells: the cells, or trials, to run, checked.
        runs: independent runs of each cell.
        jobs: workers, or -1 for one a core.
        backend: threads, processes or auto.
        results: folder for results.
        engine: what hands out the work.
        changed: the overrides that decide what is run, but for the name of an experiment.
        folders: where files of the user's own are looked for.
    """

    kind: Kind
    config: dict[str, Any]
    cells: list[Any]
    runs: int
    jobs: int
    backend: str
    results: Path
    engine: Engine
    changed: tuple[str, ...]
    folders: tuple[str, ...]


# Keys that decide how and where something is run, not what.
INDIFFERENT = re.compile(r"\+*(experiment|jobs|backend|results|runner(\.\w+)?|hydra[/.].*)=")


def read_request(overrides: list[str], folders: tuple[str, ...], kind: Kind = BANDITS) -> Request:
    """The request of a list of Hydra overrides; an experiment may be of another kind.

    Raises:
        BadInput: anything in it cannot be run.
    """
    changed = tuple(o for o in overrides if not INDIFFERENT.match(o))
    overrides, swept = _split_swept(in_hydras_words(overrides))
    kind = kind_of(overrides, folders, kind)
    frame = [o for o in overrides if o.partition("=")[0].lstrip("+") in ("experiment", "sweep")]
    if (frame or swept) and any(o not in frame and not INDIFFERENT.match(o) for o in overrides):
        framed = compose_config(tuple(frame), folders, kind)
        _vary(framed, swept)
        _refuse_swept(overrides, framed, kind)
    config = compose_config(tuple(overrides), folders, kind)
    _vary(config, swept)
    groups = kind.groups
    kept = [o for o in overrides if o.lstrip("+").partition("=")[0] not in groups]

    @cache
    def specs(*names: str) -> tuple[dict[str, Any], ...]:
        for group, name in zip(groups, names, strict=True):
            if not is_name(name):
                raise unknown(group, name, files_of(group, folders))
        chosen = [f"{group}={name}" for group, name in zip(groups, names, strict=True)]
        same = all(config[group] == name for group, name in zip(groups, names, strict=True))
        other = config if same else compose_config((*kept, *chosen), folders, kind)
        return tuple(other[f"{group}_spec"] for group in groups)

    return request_of(config, specs, folders, kind, changed)


def request_of(
    config: dict[str, Any],
    specs: Composer,
    folders: tuple[str, ...],
    kind: Kind,
    changed: tuple[str, ...] = (),
) -> Request:
    """The request of a composed configuration.

    Args:
        config: plain data; the groups (``algo``, ``env``, ...) are names.
        specs: gives the contents of the groups by their names.
        folders: the user's configuration folders.
        kind: bandits or stopping rules.
        changed: see ``Request``.

    Raises:
        BadInput: some value cannot be run.
    """
    for key in config:
        if key not in kind.keys:
            raise unknown("key", key, kind.keys)
    jobs = workers(config["jobs"])
    if config["backend"] not in ("auto", "threads", "processes"):
        raise BadInput(f"backend={plain(config['backend'])}: auto, threads or processes is needed")
    results = folder("results", config["results"])
    check_folder(results)
    return Request(
        kind=kind,
        config=config,
        cells=kind.cells(config, specs, folders),
        runs=whole("runs", config["runs"], at_least=1, at_most=10_000_000),
        jobs=jobs,
        backend=config["backend"],
        results=results,
        engine=_engine(config),
        changed=changed,
        folders=folders,
    )


def _engine(config):
    if config["runner"] not in files_of("runner", ()):
        raise unknown("runner", config["runner"], files_of("runner", ()))
    for key in config["runner_spec"]:
        if key != "address" or config["runner"] == "local":
            raise BadInput(f"runner.{key}: runner={config['runner']} has no such parameter")
    address = config["runner_spec"].get("address")
    if not isinstance(address, str | None) or address == "":
        raise BadInput(f"runner.address={plain(address)}: an address such as tcp://HOST:8786")
    if config["runner"] != "local" and config["backend"] != "auto":
        raise BadInput(
            f"backend={config['backend']}: with runner={config['runner']} its workers decide"
        )
    return Engine(config["runner"], address)


def kind_of(overrides: list[str], folders: tuple[str, ...], kind: Kind) -> Kind:
    """The kind of the experiment that is chosen, told by what its file names; else ``kind``."""
    for override in overrides:
        key, _, name = override.partition("=")
        if not is_name(name):
            continue
        homes = [package_folder("conf"), *map(Path, folders)]
        files = [home / "experiment" / f"{name}.yaml" for home in homes]
        if key.lstrip("+") == "experiment":
            for file in filter(Path.is_file, files):
                with contextlib.suppress(OSError, ValueError, YAMLError, OmegaConfBaseException):
                    named = set(_names(OmegaConf.to_container(OmegaConf.load(file))))
                    return next((k for k in KINDS if k.groups[0] in named), kind)
    return kind


def read_overrides(overrides: Iterable[str]) -> list[Override]:
    """What Hydra reads in the words of a command line."""
    found = []
    for override in overrides:
        try:
            found += OverridesParser.create().parse_overrides([override])
        except RecursionError:
            raise BadInput(f"{override}: nested without end") from None
        except (HydraException, ValueError) as error:
            reason = str(error).splitlines()[0]
            if "LexerNoViableAlt" in str(error):
                reason = "not understood; text of other than letters and digits stands in quotes"
            raise BadInput(f"{override}: {reason}") from None
    return found


def _split_swept(overrides: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The overrides but those of a grid, ``sweep.NAME=[VALUES]``, and these by name."""
    swept = {}
    others = []
    for override in overrides:
        key, _, value = override.lstrip("+").partition("=")
        if not key.startswith("sweep.") or key.split(".")[1].isdigit():
            others.append(override)
            continue
        (parsed,) = read_overrides([override])
        if parsed.is_sweep_override():
            example = "..." if "(" in value else value
            raise BadInput(f"{override}: a list of values is needed, {key}=[{example}]")
        swept[key.removeprefix("sweep.")] = parsed.value()
    return others, swept


def _vary(config: dict[str, Any], swept: dict[str, Any]) -> None:
    """Give every grid that varies a name the values asked for."""
    if swept and not config.get("sweep"):
        config["sweep"] = dict.fromkeys(swept)
    for name, values in swept.items():
        every = grids(config)
        having = [grid for grid in every if name in grid]
        if not having and len(every) == 1 and name.startswith("env."):
            having = every
        if not having:
            raise unknown("key", f"sweep.{name}", [f"sweep.{n}" for n in swept_names(config)])
        for grid in having:
            grid[name] = values  # type: ignore[index]


def _names(data: Any) -> Iterator[str]:
    """All names in nested mappings and lists, those of groups without ``override /``."""
    for name in data if isinstance(data, dict) else ():
        yield str(name).removeprefix("override ").removeprefix("/")
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _names(part)


def in_hydras_words(overrides: list[str]) -> list[str]:
    """``env.inlier=NAME`` chooses a whole environment: said in Hydra's way."""
    return [re.sub(r"^env\.inlier=(?=[A-Za-z])", "env@env.inlier=", o) for o in overrides]


def _refuse_swept(overrides, config, kind):
    """A key given beside a sweep that varies it would be ignored: say so."""
    swept = swept_names(config)
    for longest in ("horizon", "cap"):
        if not all(longest in grid for grid in grids(config)):
            swept -= {longest}  # a grid without one of its own takes that one
    sweep = "the sweep" if config["experiment"] is None else f"experiment {config['experiment']}"
    for override in overrides:
        key, _, value = override.partition("=")
        name = key.lstrip("+").removeprefix(f"{kind.groups[0]}.")
        if name in swept:
            raise BadInput(f"{override}: {sweep} varies {name}; write sweep.{name}=[{value}]")


def compose_config(
    overrides: tuple[str, ...], folders: tuple[str, ...], kind: Form = BANDITS
) -> Config:
    """The composed configuration as plain data.

    The groups (``algo``, ``env``, ...) and ``experiment`` are the names chosen; the contents of
    the groups are ``algo_spec`` and so on, and the settings of Hydra's launcher ``launcher``,
    hidden from iteration.
    """
    paths = ",".join(f"'file://{Path(folder).resolve()}'" for folder in folders)
    search = [f"hydra.searchpath=[{paths}]"] if folders else []
    parsed = read_overrides(overrides)
    _refuse_nameless(parsed, folders, kind)
    outer = GlobalHydra.instance().hydra  # that of a multirun, which we must give back
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(package_folder("conf")), kind.command, "1.3"):
            composed = compose(kind.top, [*overrides, *search], return_hydra_config=True)
            refuse_changes(composed.hydra, kind.top, parsed)
            choices = composed.hydra.runtime.choices
            own = OmegaConf.masked_copy(composed, [str(k) for k in composed if k != "hydra"])
            _refuse_resolvers(OmegaConf.to_container(own, resolve=False))
            config = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
            launcher = OmegaConf.to_container(composed.hydra.launcher, resolve=True)
    except MissingConfigException as error:
        raise _missing(error, overrides) from None
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, overrides, folders, kind) from None
    except RecursionError:
        raise BadInput(
            f"{' '.join(overrides)}: nested without end, or a file that chooses itself"
        ) from None
    except (TypeError, ValueError, AssertionError, AttributeError) as error:
        hint = "; a sweep that is a list of grids is given as a whole"
        hint = hint if any(o.startswith("sweep.") for o in overrides) else ""
        reason = str(error) or "not a valid configuration"
        raise BadInput(f"{' '.join(overrides)}: {reason}{hint}") from None
    except YAMLError as error:
        raise BadInput(f"not a readable YAML file: {error}") from None
    finally:
        GlobalHydra.instance().hydra = outer
    assert isinstance(config, dict)
    for group in (*kind.groups, "runner"):
        if not isinstance(config.get(group) or {}, dict):
            chosen = f"{group}={plain(config[group])}: the file of {group} {choices[group]}"
            raise BadInput(
                f"{chosen} must hold names with values; an experiment chooses with "
                f"'defaults: [override /{group}: NAME]'"
            )
    if config.get("experiment") is not None:
        raise BadInput(
            f"experiment={choices['experiment']}: its file must start with '# @package _global_'"
        )
    beside = [name for name in ("runner", "experiment") if name in choices]
    return Config(
        {str(k): v for k, v in config.items()}
        | {name: choices.get(name) for name in (*kind.groups, *beside)},
        aside={f"{name}_spec": dict(config.get(name) or {}) for name in (*kind.groups, *beside)}
        | {"launcher": launcher},
    )


def _refuse_nameless(parsed, folders, kind):
    """Hydra ends with a trace if a file is chosen by something that is not a name; nor may a path
    lead to a file elsewhere.
    """
    refuse_overrides(parsed)
    for override in parsed:
        if not override.key_or_group:
            raise BadInput(f"{override.input_line}: KEY=VALUE is needed")
        group = override.key_or_group.lstrip("+")
        _refuse_folder_of_that_name(override.input_line, group, folders, kind)
        if override.is_delete() and group in kind.keys and group != "experiment":
            raise BadInput(f"{override.input_line}: {group} cannot be left out")
        if group in (*kind.groups, "runner", "experiment") and not override.is_delete():
            value = override.value()
            if not isinstance(value, Sweep) and not is_name(value):
                files = files_of(group, folders)
                if plain(value) in files:
                    raise BadInput(f"{group}={plain(value)}: not text; rename its file")
                raise unknown(group, plain(value), files)


def _refuse_folder_of_that_name(said, key, folders, kind):
    """Hydra takes a key for a group of files if a folder has its name, such as ``results``."""
    groups = (*kind.groups, "runner", "experiment")
    for home in map(Path, folders if key in kind.keys and key not in groups else ()):
        if (home / key).is_dir():
            raise BadInput(
                f"{said}: {home / key} would be taken for files to choose from; keep algo, env and "
                "experiment in a folder of their own for --config-dir"
            )


def files_of(group: str, folders: tuple[str, ...]) -> list[str]:
    """What can be chosen in a group."""
    homes = [package_folder("conf"), *map(Path, folders)]
    return sorted({file.stem for home in homes for file in (home / group).glob("*.yaml")})


def is_name(value: Any) -> bool:
    """Whether it is text that can name a file, without a path to it."""
    return isinstance(value, str) and re.fullmatch(r"\w[\w .+-]{0,199}", value) is not None


def _refuse_resolvers(config):
    """A setting must not depend on the machine or the time: keys may refer to keys alone."""
    for key, value in leaves("", config):
        if isinstance(value, str) and re.search(r"\$\{\s*[\w.]+\s*:", value):
            raise BadInput(
                f"{key}={value}: a value can refer to another key, such as ${{eps}}, only"
            )


class Config(dict[str, Any]):
    """Plain data, with the contents of the chosen algorithm, environment and users kept aside."""

    def __init__(self, data: dict[str, Any], aside: dict[str, Any]):
        super().__init__(data)
        self.aside = aside

    def __missing__(self, key):
        return self.aside[key]


def _missing(error, overrides):
    group, _, name = str(error.missing_cfg_file or "").rpartition("/")
    if group and error.options is not None:
        return unknown(group, name, error.options)
    return BadInput(f"no configuration {error.missing_cfg_file} (given: {' '.join(overrides)})")


def _explained(error, overrides, folders, kind):
    text = str(error)
    found = re.search(r"Could not override '([^']*)'", text)
    if found:
        key = found[1].split("@")[-1]
        groups = (*kind.groups, *({"runner"} & set(kind.keys)))
        chosen = tuple(o for o in overrides if o.split("=")[0] in (*groups, "experiment"))
        if chosen == overrides:
            chosen, folders = (), ()
        config = compose_config(chosen, folders, kind)
        known = list(config)
        known += [f"{group}.{k}" for group in groups for k in config[f"{group}_spec"]]
        if key not in known:
            return unknown("key", key, known)
        text = str(error.__cause__ or error)  # what does not fit lies within
    told = text.strip() or str(error.__cause__ or error.__context__ or type(error).__name__)
    line = told.strip().splitlines()[0]
    if line.endswith(":"):
        line = " ".join(told.split())
    if "Ambiguous value" in text:
        line += "; add -m to run each, or write [a,b] for a list"
    given = [o for o in overrides if o in text] or list(overrides)
    return BadInput(f"{' '.join(given)}: {line}")


def multirun_points(overrides: list[str], folders: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """The overrides of each job of a Hydra multirun."""
    parsed = read_overrides(overrides)
    if any(o.is_sweep_override() and not o.is_discrete_sweep() for o in parsed):
        raise BadInput("-m: only lists, choice(...) and range(...) can be swept")
    choices = []
    for override, text in zip(parsed, overrides, strict=True):
        if override.is_sweep_override():
            key, value = override.get_key_element(), override.value()
            if isinstance(value, Glob):
                names = value.filter(files_of(override.key_or_group, folders))
                if not names:
                    raise BadInput(f"{text}: no file of {override.key_or_group} has such a name")
            else:
                names = islice(override.sweep_string_iterator(), MOST_POINTS + 1)
            choices.append([f"{key}={name}" for name in names])
        else:
            choices.append([text])
    if math.prod(map(len, choices)) > MOST_POINTS:
        raise BadInput(f"{' '.join(overrides)}: more than {MOST_POINTS} combinations")
    for point in itertools.product(*choices):
        yield list(point)

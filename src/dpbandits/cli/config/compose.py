"""Composing a configuration with Hydra, with every error told in one line."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, Sweep
from hydra.errors import HydraException, MissingConfigException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ...contracts.question import QUESTIONS, REGRET, Question
from ...errors import BadInput, plain, unknown
from ...files import package_folder
from ...settings.groups import (
    default_keys,
    is_name,
    load_groups,
    names_in,
    question_of,
    refuse_resolvers,
)
from ...settings.request import Request, make_request
from ...settings.sweep import MOST_POINTS, grids, names_varied, swept_names
from ...validation import folder
from .hydra_settings import refuse_changes, refuse_overrides


class Form(Protocol):
    """A command's configuration: the file in conf that lists its keys, and its groups."""

    @property
    def command(self) -> str: ...

    @property
    def keys_file(self) -> str: ...

    @property
    def groups(self) -> tuple[str, ...]: ...


class Composed(NamedTuple):
    """A composed configuration.

    Attributes:
        config: plain data; the groups, ``runner`` and ``experiment`` are names.
        contents: the contents of the files chosen, by group.
        launcher: the settings of Hydra's launcher.
    """

    config: dict[str, Any]
    contents: dict[str, dict[str, Any]]
    launcher: dict[str, Any]


# Keys that decide how and where something is run, not what.
INDIFFERENT = re.compile(r"\+*(experiment|jobs|backend|results|runner(\.\w+)?|hydra[/.].*)=")


def read_request(
    overrides: list[str], folders: tuple[str, ...], question: Question = REGRET
) -> Request:
    """The request of a list of Hydra overrides; an experiment may ask another question.

    Raises:
        BadInput: it cannot be run.
    """
    changed = tuple(o for o in overrides if not INDIFFERENT.match(o))
    overrides, swept = _split_swept(in_hydras_words(overrides))
    question = question_asked(overrides, folders, question)
    frame = [o for o in overrides if o.partition("=")[0].lstrip("+") in ("experiment", "sweep")]
    if (frame or swept) and any(o not in frame and not INDIFFERENT.match(o) for o in overrides):
        framed = compose_config(tuple(frame), folders, question).config
        _vary(framed, swept)
        _refuse_swept(overrides, framed, question)
    config, contents, launcher = compose_config(tuple(overrides), folders, question)
    _vary(config, swept)
    folder("results", config["results"])  # commands write their tables
    but_choices = [o for o in overrides if o.lstrip("+").partition("=")[0] not in question.groups]

    def contents_of(group: str, name: str) -> dict[str, Any]:
        if config[group] == name:
            return contents[group]
        if not is_name(name):
            raise unknown(group, name, names_in(group, folders))
        names = {g: config[g] for g in question.groups} | {group: name}
        chosen = [f"{g}={n}" for g, n in names.items()]
        return compose_config((*but_choices, *chosen), folders, question).contents[group]

    groups = load_groups(question, config, contents_of, folders)
    request = make_request(question, config, groups, contents["runner"], changed, folders)
    return replace(request, launcher=launcher)


def question_asked(overrides: list[str], folders: tuple[str, ...], question: Question) -> Question:
    """The question of the experiment that is chosen, else ``question``."""
    for override in overrides:
        key, _, name = override.partition("=")
        if key.lstrip("+") == "experiment" and is_name(name):
            with contextlib.suppress(BadInput):
                question = question_of(name, QUESTIONS, folders) or question
    return question


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


def in_hydras_words(overrides: list[str]) -> list[str]:
    """``env.inlier=NAME`` chooses a whole environment: said in Hydra's way."""
    return [re.sub(r"^env\.inlier=(?=[A-Za-z])", "env@env.inlier=", o) for o in overrides]


def _refuse_swept(overrides, config, question):
    """A key given beside a sweep that varies it would be ignored: say so."""
    swept = names_varied(question, config)
    sweep = "the sweep" if config["experiment"] is None else f"experiment {config['experiment']}"
    for override in overrides:
        key, _, value = override.partition("=")
        name = key.lstrip("+").removeprefix(f"{question.group}.")
        if name in swept:
            raise BadInput(f"{override}: {sweep} varies {name}; write sweep.{name}=[{value}]")


def compose_config(
    overrides: tuple[str, ...], folders: tuple[str, ...], form: Form = REGRET
) -> Composed:
    """Compose a configuration with Hydra, as plain data."""
    paths = ",".join(f"'file://{Path(folder).resolve()}'" for folder in folders)
    search = [f"hydra.searchpath=[{paths}]"] if folders else []
    parsed = read_overrides(overrides)
    _refuse_nameless(parsed, folders, form)
    outer = GlobalHydra.instance().hydra  # that of a multirun, which we must give back
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(package_folder("conf")), form.command, "1.3"):
            composed = compose(form.keys_file, [*overrides, *search], return_hydra_config=True)
            refuse_changes(composed.hydra, form.keys_file, parsed)
            choices = composed.hydra.runtime.choices
            own = OmegaConf.masked_copy(composed, [str(k) for k in composed if k != "hydra"])
            refuse_resolvers(OmegaConf.to_container(own, resolve=False))
            config = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
            launcher: Any = OmegaConf.to_container(composed.hydra.launcher, resolve=True)
    except MissingConfigException as error:
        raise _missing(error, overrides) from None
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, overrides, folders, form) from None
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
    for group in (*form.groups, "runner"):
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
    names = {name: choices.get(name) for name in (*form.groups, *beside)}
    contents = {name: dict(config.get(name) or {}) for name in names}
    return Composed({str(k): v for k, v in config.items()} | names, contents, launcher)


def _refuse_nameless(parsed, folders, form):
    """Hydra ends with a trace if a file is chosen by something that is not a name; nor may a path
    lead to a file elsewhere.
    """
    refuse_overrides(parsed)
    for override in parsed:
        if not override.key_or_group:
            raise BadInput(f"{override.input_line}: KEY=VALUE is needed")
        group = override.key_or_group.lstrip("+")
        _refuse_folder_of_that_name(override.input_line, group, folders, form)
        if override.is_delete() and group in default_keys(form.keys_file) and group != "experiment":
            raise BadInput(f"{override.input_line}: {group} cannot be left out")
        if group in (*form.groups, "runner", "experiment") and not override.is_delete():
            value = override.value()
            if not isinstance(value, Sweep) and not is_name(value):
                files = names_in(group, folders)
                if plain(value) in files:
                    raise BadInput(f"{group}={plain(value)}: not text; rename its file")
                raise unknown(group, plain(value), files)


def _refuse_folder_of_that_name(said, key, folders, form):
    """Hydra takes a key for a group of files if a folder has its name, such as ``results``."""
    groups = (*form.groups, "runner", "experiment")
    for home in map(
        Path, folders if key in default_keys(form.keys_file) and key not in groups else ()
    ):
        if (home / key).is_dir():
            raise BadInput(
                f"{said}: {home / key} would be taken for files to choose from; keep algo, env and "
                "experiment in a folder of their own for --config-dir"
            )


def _missing(error, overrides):
    group, _, name = str(error.missing_cfg_file or "").rpartition("/")
    if group and error.options is not None:
        return unknown(group, name, error.options)
    return BadInput(f"no configuration {error.missing_cfg_file} (given: {' '.join(overrides)})")


def _explained(error, overrides, folders, form):
    text = str(error)
    found = re.search(r"Could not override '([^']*)'", text)
    if found:
        key = found[1].split("@")[-1]
        groups = (*form.groups, *({"runner"} & default_keys(form.keys_file).keys()))
        chosen = tuple(o for o in overrides if o.split("=")[0] in (*groups, "experiment"))
        if chosen == overrides:
            chosen, folders = (), ()
        config, contents, _ = compose_config(chosen, folders, form)
        known = list(config)
        known += [f"{group}.{k}" for group in groups for k in contents[group]]
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
                names = value.filter(names_in(override.key_or_group, folders))
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

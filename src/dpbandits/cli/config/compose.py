"""Composing a configuration with Hydra; every error is reported in one line."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Glob, Override, Sweep
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
    no_file,
    question_of,
    refined,
    refuse_resolvers,
)
from ...settings.request import Request, make_request
from ...settings.sweep import MOST_POINTS, grids, names_varied, swept_names
from ...validation import folder, refuse_overflow
from .hints import bare_word, is_list, of_another
from .hydra_settings import refuse_changes, refuse_overrides


class Composed(NamedTuple):
    """A composed configuration."""

    config: dict[str, Any]  # plain data; the groups, ``runner`` and ``experiment`` are names
    contents: dict[str, dict[str, Any]]  # the contents of the files chosen, by group


# Keys that decide how and where something is run, not what
INDIFFERENT = re.compile(
    r"\+*(experiment|jobs|backend|results|max_rows|runner(\.\w+)?|hydra[/.].*)="
)
SPACE = r"[ \t\r\n]*"
NUMBER = rf"{SPACE}-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?{SPACE}"  # as JSON has it
LONG_LIST = re.compile(rf"\[{NUMBER}(?:,{NUMBER}){{20,}}\]")


def read_request(
    overrides: list[str], folders: tuple[str, ...], question: Question = REGRET
) -> Request:
    """The request of a list of Hydra overrides; an experiment can change the question.

    Raises:
        BadInput: it cannot be run.
    """
    changed = tuple(o for o in overrides if not INDIFFERENT.match(o))
    for override in overrides:
        if key_of(override).partition(".")[0] == "figure":
            raise BadInput(f"{override}: the file of an experiment describes its figure")
    overrides, swept = _split_swept(as_hydra_overrides(overrides))
    question = question_requested(overrides, folders, question)
    frame = [o for o in overrides if key_of(o) in ("experiment", "sweep")]
    if (frame or swept) and any(o not in frame and not INDIFFERENT.match(o) for o in overrides):
        framed = compose_config(frame, folders, question.keys_file).config
        _vary(framed, swept)
        _refuse_swept(overrides, framed, question)
    config, contents = compose_config(overrides, folders, question.keys_file)
    _refuse_lists(overrides, question)
    _vary(config, swept)
    folder("results", config["results"])  # commands write their tables
    but_choices = [o for o in overrides if key_of(o) not in question.groups]

    def contents_of(group: str, name: str) -> dict[str, Any]:
        if config[group] == name:
            return contents[group]
        if not is_name(name):
            raise no_file(group, name, names_in(group, folders), folders)
        names = {g: config[g] for g in question.groups} | {group: name}
        words = but_choices + [f"{g}={n}" for g, n in names.items()]
        return compose_config(words, folders, question.keys_file).contents[group]

    groups = load_groups(question, config, contents_of, folders)
    question = refined(question, groups.algorithms, map(key_of, changed))
    return make_request(question, config, groups, contents["runner"], changed, folders)


def key_of(override: str) -> str:
    """The key that an override sets, or adds with ``+``."""
    return override.lstrip("+").partition("=")[0]


def question_requested(
    overrides: list[str], folders: tuple[str, ...], question: Question
) -> Question:
    """The question of the experiment that is chosen, else ``question``."""
    for override in overrides:
        if key_of(override) == "experiment":
            with contextlib.suppress(BadInput):
                question = question_of(override.partition("=")[2], folders) or question
    return question


def read_overrides(overrides: Iterable[str]) -> list[Override]:
    """Parse overrides with Hydra."""
    found = []
    for override in overrides:
        refuse_overflow(override, override)
        try:
            found += OverridesParser.create().parse_overrides([override])
        except RecursionError:
            raise BadInput(f"{override}: nested without end") from None
        except (HydraException, ValueError) as error:
            if is_name(override):
                raise bare_word(override) from None
            reason = str(error).splitlines()[0]
            if "LexerNoViableAlt" in str(error):
                reason = "not understood; text of other than letters and digits stands in quotes"
            raise BadInput(f"{override}: {reason}") from None
    return found


def _split_swept(overrides: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The overrides without those of a grid, ``sweep.NAME=[VALUES]``, and these by name.

    A single ``sweep={NAME:[VALUES],...}`` that replaces no other is the same: composing many values
    takes long.
    """
    others, swept = [], {}
    alone = sum(o.lstrip("+").startswith(("sweep", "experiment=")) for o in overrides) == 1
    for override in overrides:
        key, _, value = override.lstrip("+").partition("=")
        if alone and override.startswith("sweep={") and not re.search(r"\$|\?\?\?", override):
            grid = value_of(override)
            if isinstance(grid, dict) and grid and all(isinstance(name, str) for name in grid):
                swept = grid
                continue
        if not key.startswith("sweep.") or key.split(".")[1].isdigit():
            others.append(override)
            continue
        found = value_of(override)
        if isinstance(found, Sweep):
            example = "..." if "(" in value else value
            raise BadInput(f"{override}: a list of values is needed, {key}=[{example}]")
        swept[key.removeprefix("sweep.")] = found
    return others, swept


def value_of(override: str) -> Any:
    """The value of an override. Of a thousand numbers in a list Hydra's parser would take a second.

    Long lists of numbers are therefore replaced by their positions while the rest is parsed.
    """
    lists: list[Any] = []
    mark = "numbers"
    while mark in override:
        mark += "_"

    def apart(found: re.Match[str]) -> str:
        lists.append(json.loads(found[0]))
        return f"[{len(lists) - 1}, {mark}]"

    def whole(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: whole(inner) for name, inner in value.items()}
        if isinstance(value, list) and len(value) == 2 and value[1] == mark:
            return lists[value[0]]
        return [whole(inner) for inner in value] if isinstance(value, list) else value

    if "'" not in override and '"' not in override:
        refuse_overflow(override, override)
        with contextlib.suppress(BadInput):  # raised again, with the whole text
            (parsed,) = read_overrides([LONG_LIST.sub(apart, override)])
            return whole(parsed.value())
    (parsed,) = read_overrides([override])
    return parsed.value()


def _vary(config: dict[str, Any], swept: dict[str, Any]) -> None:
    """Replace the values of a name in every grid that varies it."""
    if swept and config.get("sweep") is None:
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


def as_hydra_overrides(overrides: list[str]) -> list[str]:
    """``env.inlier=NAME`` chooses a whole environment, which Hydra writes differently."""
    return [re.sub(r"^env\.inlier=(?=[A-Za-z])", "env@env.inlier=", o) for o in overrides]


def _refuse_swept(overrides, config, question):
    """Refuse a key beside a sweep that varies it: it would have no effect."""
    swept = names_varied(question, config)
    sweep = "the sweep" if config["experiment"] is None else f"experiment {config['experiment']}"
    for override in overrides:
        name = key_of(override).removeprefix(f"{question.group}.")
        if name in swept:
            value = override.partition("=")[2]
            raise BadInput(f"{override}: {sweep} varies {name}; write sweep.{name}=[{value}]")


def _refuse_lists(overrides: list[str], question: Question) -> None:
    """Refuse a list where one value is needed, and say how several are run."""
    for override in overrides:
        key, _, value = override.partition("=")
        if key in question.swept and re.fullmatch(r"\[[^\[\]]+,[^\[\]]+\]", value):
            each = value.strip("[]")
            raise BadInput(
                f"{override}: one value is needed; -m {key}={each} runs each, "
                f"'sweep={{{key}:[{each}]}}' makes one table"
            )


def compose_config(overrides: list[str], folders: tuple[str, ...], keys_file: str) -> Composed:
    """Compose the configuration of a command, whose keys a file in conf lists, with Hydra."""
    paths = ",".join(f"'file://{Path(folder).resolve()}'" for folder in folders)
    search = [f"hydra.searchpath=[{paths}]"] if folders else []
    parsed = read_overrides(overrides)
    _check_overrides(parsed, folders, keys_file)
    given = " ".join(overrides)
    command = next((q.command for q in QUESTIONS if q.keys_file == keys_file), "bandit-audit")
    try:
        with initialize_config_dir(str(package_folder("conf")), command, "1.3"):
            composed = compose(keys_file, [*overrides, *search], return_hydra_config=True)
            refuse_changes(composed.hydra, keys_file)
            choices = composed.hydra.runtime.choices
            own = OmegaConf.masked_copy(composed, [str(k) for k in composed if k != "hydra"])
            refuse_resolvers(OmegaConf.to_container(own, resolve=False))
            config = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
    except MissingConfigException as error:
        raise _missing(error, given, folders) from None
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, overrides, folders, keys_file) from None
    except RecursionError:
        raise BadInput(f"{given}: nested without end, or a file that chooses itself") from None
    except (TypeError, ValueError, AssertionError, AttributeError) as error:
        swept = any(o.startswith("sweep.") for o in overrides)
        hint = "; a sweep that is a list of grids is given as a whole" if swept else ""
        raise BadInput(f"{given}: {str(error) or 'not a valid configuration'}{hint}") from None
    except YAMLError as error:
        raise BadInput(f"not a readable YAML file: {error}") from None
    assert isinstance(config, dict)
    groups = groups_of(keys_file)
    for group in groups:
        if group == "experiment" and config.get(group) is not None:
            raise BadInput(
                f"experiment={choices[group]}: its file must start with '# @package _global_'"
            )
        if not isinstance(config.get(group) or {}, dict):
            raise BadInput(
                f"{group}={plain(config[group])}: the file of {group} {choices[group]} must hold "
                "names with values; an experiment chooses with "
                f"'defaults: [override /{group}: NAME]'"
            )
    contents = {group: dict(config.get(group) or {}) for group in groups}
    names = {group: choices.get(group) for group in groups}
    return Composed({str(k): v for k, v in config.items()} | names, contents)


def groups_of(keys_file: str) -> list[str]:
    """The keys of a command that choose a file: each has a folder in conf."""
    return [key for key in default_keys(keys_file) if (package_folder("conf") / key).is_dir()]


def _check_overrides(parsed, folders, keys_file):
    """Refuse what would end with a trace in Hydra, and files that are chosen by a path.

    Hydra takes a key such as ``results`` for a group of files if a folder has its name.
    """
    refuse_overrides(parsed)
    keys, groups = default_keys(keys_file), groups_of(keys_file)
    for override in parsed:
        if not override.key_or_group:
            raise BadInput(f"{override.input_line}: KEY=VALUE is needed")
        key = override.key_or_group.lstrip("+")
        for home in folders if key in keys and key not in groups else ():
            if Path(home, key).is_dir():
                raise BadInput(
                    f"{override.input_line}: {Path(home, key)} would be taken for files to choose "
                    "from; keep algo, env and experiment in a folder of their own for --config-dir"
                )
        if override.is_delete():
            if key in keys and key != "experiment":
                raise BadInput(f"{override.input_line}: {key} cannot be left out")
        elif key in groups:
            value = override.value()
            if not isinstance(value, Sweep) and not is_name(value):
                files = names_in(key, folders)
                if plain(value) in files:
                    raise BadInput(f"{key}={plain(value)}: not text; rename its file")
                raise no_file(key, plain(value), files, folders)


def _missing(error, given, folders):
    group, _, name = str(error.missing_cfg_file or "").rpartition("/")
    if group and error.options is not None:
        return no_file(group, name, error.options, folders)
    return BadInput(f"no configuration {error.missing_cfg_file} (given: {given})")


def _explained(error, overrides, folders, keys_file):
    """The error of Hydra in one line; an unknown key with the nearest of those that are known."""
    text = str(error)
    found = re.search(r"Could not override '([^']*)'", text)
    if found:
        key = found[1].split("@")[-1]
        chosen = [o for o in overrides if o.split("=")[0] in groups_of(keys_file)]
        if chosen == overrides:
            chosen, folders = [], ()
        config, contents = compose_config(chosen, folders, keys_file)
        parameters = [f"{group}.{k}" for group, part in contents.items() for k in part]
        if key not in (known := [*config, *parameters]):
            given = next((o for o in overrides if o.partition("=")[0] == key), key)
            meant = of_another(given, chosen, default_keys(keys_file), known, folders)
            return meant or unknown("key", key, known)
        text = str(error.__cause__ or error)  # the innermost error names what does not fit
    text = text.strip() or str(error.__cause__ or error.__context__ or type(error).__name__)
    line = text.strip().splitlines()[0]
    if line.endswith(":"):
        line = " ".join(text.split())
    given = [o for o in overrides if o in text] or overrides
    if "Ambiguous value" in text:
        key, _, values = given[0].partition("=")
        if is_list(key, overrides, default_keys(keys_file), folders):
            return BadInput(f"{given[0]}: a list stands in brackets: {key}=[{values}]")
        line += f"; add -m to run each, or write sweep.{key}=[{values}] for one table"
    return BadInput(f"{' '.join(given)}: {line}")


def multirun_points(overrides: list[str], folders: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """The overrides of each job of a Hydra multirun."""
    parsed = read_overrides(overrides)
    if any(o.is_sweep_override() and not o.is_discrete_sweep() for o in parsed):
        raise BadInput("-m: only lists, choice(...) and range(...) can be swept")
    for text, value in zip(overrides, (o.value() for o in parsed), strict=True):
        if isinstance(value, ChoiceSweep) and any(isinstance(x, Sweep) for x in value.list):
            raise BadInput(f"{text}: a sweep is not one of the values of another")
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

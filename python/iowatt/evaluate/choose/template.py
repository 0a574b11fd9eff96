"""The question that ``iowatt choose --init`` writes: what was answered, and every other key with its default
and its meaning.

Keys, their texts, their defaults and their rules are those of ``question``; nothing is said of them a
second time here.
"""

from __future__ import annotations

import copy
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from iowatt.base import pydantic_problems
from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import Key, catalogue, toml_text
from iowatt.base.problems import KeyPath
from iowatt.base.strict import NAME_PATTERN
from iowatt.evaluate.choose.question import LEVELS, SCHEMA, StorageQuestion
from iowatt.model.profile import load, profile_names

TEMPLATE: Final = (
    "TEMPLATE: values below are examples or defaults, not your answers; edit them to match your needs."
)
"""The first line of a file that was written without answers."""

_WIDTH: Final = 100
_WORKLOAD: Final[KeyPath] = ("workload", 0)
#: Lists of tables that are shown as comments.
_SHOWN: Final = ("family", "own")


@dataclass(frozen=True)
class QuestionItem:
    """One thing that is asked for: a key of a question."""

    path: KeyPath
    #: What the prompt calls it.
    title: str
    #: What stands if nothing is entered; None leaves the key out.
    default: Any


def _key(path: KeyPath) -> Key:
    return catalogue(StorageQuestion)[pydantic_problems.catalogue_path(path)]


def _asked(title: str, *path: str | int, example: bool = False) -> QuestionItem:
    """A key with its default, or its example."""
    found = _key(path)
    default = found.example if example or found.required else found.default
    return QuestionItem(
        path, title, int(default) if isinstance(default, float) and default.is_integer() else default
    )


USABLE: Final = _asked("Usable capacity, after redundancy", "usable")
YEARS: Final = _asked("Service life in years", "years")
LOAD: Final = QuestionItem(
    (*_WORKLOAD, "trace"), "Workload: a trace file, a profile file (.toml) or a library profile", "skew"
)
RATE: Final = QuestionItem(
    (*_WORKLOAD, "profile", "rate_iops"), "Requests per second (the profile has no rate)", 7000
)
TIMES: Final = _asked("Load multiplier", *_WORKLOAD, "times")
STATISTIC: Final = QuestionItem(_WORKLOAD, f"Response-time statistic to limit ({', '.join(LEVELS)})", "p95")
POWER: Final = _asked("Price of electricity, USD/kWh", "energy", "usd_per_kwh", example=True)
LOSS: Final = _asked("Maximum probability of data loss per year", "durability", "loss_per_year")


def limit_of(statistic: str) -> QuestionItem:
    """The limit of a statistic."""
    return _asked(f"Maximum {statistic}", *_WORKLOAD, statistic, example=True)


def example() -> dict[str, Any]:
    """A question whose answers are all the defaults."""
    document: dict[str, Any] = {"schema": SCHEMA, "name": "question", "workload": [{"name": "load"}]}
    load_of(LOAD.default, Path(), document, rate_iops=RATE.default)
    for one in (USABLE, YEARS, TIMES, limit_of(STATISTIC.default), POWER, LOSS):
        put(document, one.path, one.default)
    return document


def asked_question(file: Path, ask: Callable[[str, Any, Callable[[str], Any]], Any]) -> str:
    """The question of ``file`` with what is answered, as commented TOML.

    ``ask(title, default, read)`` gives what ``read`` makes of the answer; ``read`` raises ``InputError``
    where it is not accepted.
    """
    document, folder = example(), file.parent
    document["name"] = name_of(file)

    def put_answer(one: QuestionItem) -> None:
        put(document, one.path, ask(one.title, one.default, partial(checked, one)))

    put_answer(USABLE)
    put_answer(YEARS)
    if not ask(LOAD.title, LOAD.default, lambda text: load_of(text, folder, document)):
        put_answer(RATE)
    put_answer(TIMES)
    statistic = ask(STATISTIC.title, STATISTIC.default, statistic_of)
    del document["workload"][0][STATISTIC.default]
    for one in (limit_of(statistic), POWER, LOSS):
        put_answer(one)
    return toml(document)


def template_question(file: Path) -> str:
    """The same with the defaults, whose first line says that nobody was asked."""
    return toml({**example(), "name": name_of(file)}, template=True)


def name_of(file: Path) -> str:
    """A question's name by its file."""
    kept = re.sub(r"[^A-Za-z0-9_-]+", "-", file.stem).strip("-_")
    return kept[:64] if re.match(NAME_PATTERN, kept[:64]) else "question"


def put(document: dict[str, Any], path: KeyPath, value: Any) -> None:
    """Set the key at ``path``, with the tables around it."""
    here: Any = document
    for step in path[:-1]:
        here = here[step] if isinstance(step, int) else here.setdefault(step, {})
    here[path[-1]] = value


def checked(one: QuestionItem, text: str) -> Any:
    """What was entered for a key. Raises ``InputError`` by the key's own rule."""
    value: Any = text.strip()
    try:
        value = float(value)
        value = int(value) if value.is_integer() else value
    except ValueError:
        pass
    document = copy.deepcopy(_EXAMPLE)
    put(document, one.path, value)
    try:
        StorageQuestion.model_validate(document)
    except ValidationError as error:
        first, *_ = pydantic_problems.problems(error, document, StorageQuestion)
        place = pydantic_problems.catalogue_path(one.path)
        raise InputError(first.code, place, first.message, hint=first.hint) from None
    return value


def statistic_of(text: str) -> str:
    """The name of a statistic. Raises ``InputError`` where it is none."""
    if text.strip() not in LEVELS:
        raise InputError(
            "not-accepted", "workload", f"{text!r} is not accepted; expected {', '.join(LEVELS)}"
        )
    return text.strip()


def load_of(text: str, folder: Path, document: dict[str, Any], *, rate_iops: float | None = None) -> bool:
    """Put the trace or the profile that was named into the workload; paths become relative to ``folder``.

    Returns whether it has a rate: a profile may need ``rate_iops``. Raises ``InputError``: there is neither
    such a file nor such a profile.
    """
    workload = document["workload"][0]
    named = text.strip()
    if named in profile_names() or named.endswith(".toml"):
        rated = load(named, rate_iops=rate_iops).profile.mean_rate is not None
        choice: dict[str, Any] = {"name": _relative(named, folder) if named.endswith(".toml") else named}
        workload["profile"] = choice | ({} if rate_iops is None else {"rate_iops": rate_iops})
        workload.pop("trace", None)
        return rated
    if not Path(named).is_file():
        message = f"there is no file or profile {named!r}"
        raise InputError(
            "not-found", Argument("init"), message, hint="`iowatt trace profiles` lists profiles"
        )
    workload["trace"] = {"path": _relative(named, folder)}
    workload.pop("profile", None)
    return True


def _relative(name: str, folder: Path) -> str:
    path = Path(name)
    return (
        str(path)
        if path.is_absolute()
        else Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    )


def toml(document: Mapping[str, Any], *, template: bool = False) -> str:
    """The question as commented TOML. ``template``: nobody was asked, which its first line then says."""
    keys = catalogue(StorageQuestion)
    lines = [f"# {TEMPLATE}"] if template else []
    lines += [
        "# What the storage must hold and serve. `iowatt choose FILE` finds the cheapest system for it.",
        "# Keys behind # are omitted; the comment above each says what applies then.",
        "",
    ]
    tables = [name for name in StorageQuestion.model_fields if _is_table(keys.get(name))]
    for name, info in StorageQuestion.model_fields.items():
        if name not in tables:
            lines += _entry(keys[info.alias or name], info.alias or name, document)
    for name in tables:
        key = keys[name]
        given = document.get(name, [{}] if key.is_list else {})
        for table in given if key.is_list else [given]:
            lines += [*_wrapped(key.description), f"[[{name}]]" if key.is_list else f"[{name}]"]
            shown = [line for child in key.children for line in _entry(keys[f"{name}.{child}"], child, table)]
            lines += shown
            if name in _SHOWN:
                first = len(lines) - len(shown) - 1
                lines[first:] = [
                    line if line.startswith("#") or not line else f"# {line}" for line in lines[first:]
                ]
    return "\n".join(lines).rstrip() + "\n"


def _is_table(key: Key | None) -> bool:
    return key is not None and bool(key.children)


def _entry(key: Key, name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """A key: its meaning, its default and what it accepts; and its value, or its example as a comment."""
    yield from _wrapped(key.description)
    said = ["Required." if key.required else _sentence(key.default_text, "Default")]
    if not key.children:
        unit = f", in {key.unit}" if key.unit not in (None, "bytes", "s", "W") else ""
        said.append(f"Accepts {key.accepts}{unit}.")
    yield from _wrapped(" ".join(said))
    left_out = key.required or key.unset is not None or key.default in (None, {})
    if name in table:
        yield f"{name} = {toml_text(table[name])}"
    elif left_out or isinstance(key.default, BaseModel):
        yield f"# {name} = {toml_text(key.example)}" if key.example is not None else f"# {name} ="
    else:
        yield f"{name} = {toml_text(key.default)}"
    yield ""


def _sentence(default: str, what: str) -> str:
    """``Default: 5 years.`` or ``Left out: no limit.``"""
    text = default if default.startswith("if omitted: ") else f"{what}: {default}"
    return f"{text[0].upper()}{text[1:]}."


def _wrapped(said: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(said, _WIDTH - 2)]


_EXAMPLE: Final = example()

"""An error as the command line prints it: with its code, and arguments by the names of their options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, IowattError

if TYPE_CHECKING:
    import typer

_ARGUMENT: Final = re.compile(r"`([a-z][a-z0-9_]*)=([^`]*)`")
"""An argument in a message: `` `years=5` ``."""


def options_of(app: typer.Typer, words: Sequence[str]) -> dict[str, str]:
    """The options of the command that ``words`` call by the names of its arguments, ``years: --years``."""
    import typer.main

    from iowatt.cli.verbs import VerbGroup, load

    command: Any = typer.main.get_command(app)
    for word in words:
        below = getattr(command, "commands", {})
        if not below:
            break
        if word in below:
            command = load(word) if isinstance(command, VerbGroup) else below[word]
    names: dict[str, str] = {}
    for parameter in command.params:
        if parameter.param_type_name == "option":
            option = max(parameter.opts, key=len)
            names[option.strip("-").replace("-", "_")] = option
            names.setdefault(parameter.name or "", option)
    return names


def error_text(error: IowattError, options: Mapping[str, str]) -> str:
    """``error[code]: place: message`` and the hint; one line each where it is about several problems."""
    problems = getattr(error, "problems", ())
    if len(problems) <= 1:
        return f"error[{error.code}]: {_shown(error.place, error.message, error.hint, options)}"
    listed = "\n".join(
        f"[{problem.code}] {_shown(problem.place, problem.message, problem.hint, options)}"
        for problem in problems
    )
    return f"error: {error.place}: {len(problems)} problems\n{listed}"


def place_text(place: str | None, options: Mapping[str, str]) -> str | None:
    """A place as it is printed: ``--years 5`` where it is an argument."""
    if isinstance(place, Argument):
        return f"{options.get(place.name, place.name)} {place.detail}".strip()
    return place


def _shown(place: str | None, message: str, hint: str | None, options: Mapping[str, str]) -> str:
    place = place_text(place, options)
    text = in_options(message, options)
    text = f"{place}: {text}" if place else text
    return f"{text}\n  hint: {in_options(hint, options)}" if hint else text


def in_options(text: str, options: Mapping[str, str]) -> str:
    """``text`` with its arguments as options: ``--years 5`` for `` `years=5` ``."""

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        if name not in options:
            return match[0]
        return options[name] if value in ("", "True") else f"{options[name]} {shlex.quote(value)}"

    return _ARGUMENT.sub(option, text)

"""The synopsis and the tables of options of each verb, written by the build from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from iowatt.cli.verbs import VERBS, load

_KINDS: Final = {int: "N", float: "NUMBER"}
"""What stands for a value of an option that names no other word."""


def write(folder: Path) -> None:
    """Write into ``folder`` what the pages include: ``_VERB.md`` for each verb, and the table ``_all.md``."""
    (folder / "_all.md").write_text("\n".join(_listed()) + "\n")
    for name in VERBS:
        (folder / f"_{name}.md").write_text("\n".join(_described(f"iowatt {name}", load(name))) + "\n")


def _listed() -> Iterator[str]:
    """All verbs by panel, as ``iowatt --help`` shows them, with links to their pages."""
    for panel in dict.fromkeys(verb.panel for verb in VERBS.values()):
        yield f"**{panel}**\n"
        yield "| | |"
        yield "|---|---|"
        for name, verb in VERBS.items():
            if verb.panel == panel:
                yield f"| [`{name}`](verbs/{name}.md) | {_cell(verb.help)} |"
        yield ""


def _described(words: str, command: Any) -> Iterator[str]:
    """A command; of a group, a section for each of its commands."""
    if hasattr(command, "commands"):
        yield f"{command.help}\n"
        for name, one in command.commands.items():
            yield f"## {words} {name}\n"
            yield from _described(f"{words} {name}", one)
        return
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    yield f"{_sentences(command.help)}\n"
    yield "```text"
    yield from _synopsis(words, shown)
    yield "```\n"
    panels: dict[str, list[Any]] = {}
    for one in shown:
        panels.setdefault(getattr(one, "rich_help_panel", None) or "", []).append(one)
    for panel, params in sorted(panels.items()):
        if panel:
            yield f"**{panel}**\n"
        yield from _table(params)


def _sentences(text: str | None) -> str:
    return "" if text is None else text.replace("\f", "").strip()


def _synopsis(words: str, params: list[Any], width: int = 96) -> Iterator[str]:
    line = words
    for one in params:
        word = _word(one)
        if len(line) + 1 + len(word) > width:
            yield line
            line = " " * len(words)
        line += f" {word}"
    yield line


def _word(one: Any) -> str:
    argument = one.param_type_name == "argument"
    named = _metavar(one) if argument else " ".join([_flags(one)[0], _metavar(one)]).strip()
    more = " ..." if (one.multiple or one.nargs == -1) and not named.endswith("...") else ""
    return f"{named}{more}" if one.required else f"[{named}{more}]"


def _flags(one: Any) -> list[str]:
    """Long names first; a switch that can be turned off has both names."""
    names = sorted(one.opts, key=lambda name: not name.startswith("--"))
    return [f"{names[0]}/{one.secondary_opts[0]}", *names[1:]] if one.secondary_opts else names


def _metavar(one: Any) -> str:
    if getattr(one, "is_flag", False):
        return ""
    if one.metavar:
        return str(one.metavar)
    if one.param_type_name == "argument":
        return str(one.name).strip("_").upper()
    kind = one.type_descriptor
    if kind.is_choice:
        return "|".join(str(getattr(choice, "value", choice)) for choice in kind.choices)
    return "PATH" if kind.is_path else _KINDS.get(kind.annotation, "TEXT")


def _table(params: list[Any]) -> Iterator[str]:
    yield "| | | default |"
    yield "|---|---|---|"
    for one in params:
        argument = one.param_type_name == "argument"
        named = [_metavar(one)] if argument else [f"{flag} {_metavar(one)}".strip() for flag in _flags(one)]
        shown = ", ".join(f"`{_cell(name)}`" for name in named)
        yield f"| {shown} | {_cell(_sentences(one.help))} | {_cell(_default(one))} |"
    yield ""


def _default(one: Any) -> str:
    if one.required:
        return "required"
    said = getattr(one, "show_default", None)
    if isinstance(said, str):
        return said
    if one.default in (None, False, (), []) or said is False or callable(one.default):
        return ""
    value = getattr(one.default, "value", one.default)
    return f"`{value}`" if not isinstance(value, bool) else "on"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

"""Rule profiles and their rules for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.rules.find import aliases, file_names, load, profile_names, stated
from iowatt.emerald.rules.read import sources

PROFILES_SCHEMA: Final = "iowatt.rule-profiles/1"
RULES_SCHEMA: Final = "iowatt.rule-list/1"


def profiles() -> dict[str, Any]:
    """The library's profiles."""
    found = [load(name) for name in profile_names()]
    return {
        "schema": PROFILES_SCHEMA,
        "profiles": [
            {
                "name": one.name,
                "aliases": [alias for alias, name in aliases().items() if name == one.name],
                "title": one.title,
                "version": one.version,
                "rules": len(one.rules),
                "unverified": sum(not rule.verified for rule in one.rules.values()),
                "unknown": sum(rule.value is None for rule in one.rules.values()),
            }
            for one in found
        ],
    }


def rules(name: str, pattern: str = "*", *, unverified: bool = False) -> dict[str, Any]:
    """The rules of a profile whose keys match. Raises ``InputError`` where none of its keys do."""
    profile = load(name)
    found = sorted(profile.matching(pattern), key=lambda rule: rule.key)
    if not found:
        raise InputError("unknown-name", Argument("key"), f"no rule of {profile.name} matches {pattern!r}")
    return {
        "schema": RULES_SCHEMA,
        "profile": profile.name,
        "title": profile.title,
        "version": profile.version,
        "sha256": profile.sha256,
        "lineage": list(profile.lineage),
        "notes": list(profile.notes),
        "rules": [rule.as_dict() for rule in found if not (unverified and rule.verified)],
    }


def profile_lines(listed: dict[str, Any]) -> Iterator[str]:
    """A line for each profile."""
    width = max(len(one["name"]) for one in listed["profiles"])
    for one in listed["profiles"]:
        names = f"; also {', '.join(one['aliases'])}" if one["aliases"] else ""
        counts = f"{one['rules']:>3} rules, {one['unverified']:>3} unverified"
        yield f"{one['name']:<{width}}  {counts}  {one['title']}{names}"


def rule_lines(listed: dict[str, Any]) -> Iterator[str]:
    """A line for each rule, and what is to be known of it below."""
    yield f"{listed['profile']}: {listed['title']}"
    for note in listed["notes"]:
        yield f"note: {note}"
    for one in listed["rules"]:
        mark = one["mark"] + (f" ({one['confidence']})" if "confidence" in one else "")
        verified = "verified" if one["verified"] else "unverified"
        yield f"{one['key']} = {shown(one)}  [{verified}; {mark}; {'; '.join(one['sources'])}]"
        if "note" in one:
            yield f"    {one['note']}"
    unverified = sum(not one["verified"] for one in listed["rules"])
    yield f"{len(listed['rules'])} rules, {unverified} of them unverified"


def markdown() -> str:
    """All that the library's files state, for the reference: what a file extends, doubts and says itself."""
    lines = [line for name in file_names() for line in _section(name)]
    lines += ["", "### Sources", "", *_table_lines(["name", "what"])]
    return "\n".join([*lines, *(f"| {key} | {_cell(text)} |" for key, text in sources().items())])


def taxonomy_markdown(name: str) -> str:
    """The taxonomy of a profile: a table for each category."""
    profile = load(name)
    lines = []
    for category in profile.names("taxonomy.procedures"):
        classes = profile.value(f"taxonomy.{category}.classes")
        rows = [rule for rule in profile.matching(f"taxonomy.{category}.*") if "by class" in rule.unit]
        lines += ["", f"**{category}**", ""]
        lines += _table_lines(["class", *map(str, classes)])
        lines += [f"| {rule.key.rpartition('.')[2]} | {' | '.join(rule.value)} |" for rule in rows]
    return "\n".join(lines) + "\n"


def _section(name: str) -> Iterator[str]:
    own = stated(name)
    yield from ["", f"### {name}", "", f"{own.head.title}."]
    if own.head.aliases:
        yield f"Also {', '.join(f'`{alias}`' for alias in own.head.aliases)}."
    if own.head.extends:
        yield f"Extends {', '.join(f'`{parent}`' for parent in own.head.extends)}."
    yield from (f"{note[0].upper()}{note[1:]}." for note in own.head.notes)
    for one in own.head.unverified:
        yield f"\nUnverified here: {', '.join(f'`{pattern}`' for pattern in one.rules)} ({one.why})."
    yield ""
    yield from _table_lines(["rule", "value", "mark", "verified", "source and note"])
    names = {text: key for key, text in sources().items()}
    for rule in own.rules.values():
        if rule.key.startswith("taxonomy.") and "by class" in rule.unit:
            continue
        given = rule.as_dict()
        mark = rule.mark + (f" ({rule.confidence})" if rule.confidence else "")
        words = ", ".join(names[text] for text in rule.sources) + (f": {rule.note}" if rule.note else "")
        cells = (f"`{rule.key}`", shown(given), mark, "yes" if rule.verified else "no", words)
        yield f"| {' | '.join(map(_cell, cells))} |"


def _table_lines(titles: list[str]) -> list[str]:
    return [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def shown(rule: dict[str, Any]) -> str:
    """A value with its unit, where that is one."""
    if "unknown" in rule:
        return f"unknown: {rule['unknown']}"
    value, unit = rule["value"], rule["unit"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    plain = isinstance(value, int | float) and not isinstance(value, bool) and unit != "1"
    return f"{text} {unit}" if plain else text

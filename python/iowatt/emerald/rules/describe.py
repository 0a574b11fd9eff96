"""Rule profiles and their rules: as results, as a page, and as Markdown for the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.rules.find import aliases, file_names, load, profile_file, profile_names, sources
from iowatt.emerald.rules.profile import Rule
from iowatt.emerald.rules.result import ProfileEntry, ProfileList, RuleList
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns


def list_profiles() -> ProfileList:
    """The library's profiles."""
    return ProfileList(
        profiles=[
            ProfileEntry(
                name=one.name,
                aliases=[alias for alias, name in aliases().items() if name == one.name],
                title=one.title,
                version=one.version,
                rules=len(one.rules),
                unverified=sum(not rule.verified for rule in one.rules.values()),
                unknown=sum(rule.value is None for rule in one.rules.values()),
            )
            for one in map(load, profile_names())
        ]
    )


def list_rules(name: str, pattern: str = "*", *, unverified: bool = False) -> RuleList:
    """The rules of a profile whose keys match. Raises ``InputError`` where none of its keys do."""
    profile = load(name)
    matching = sorted(profile.matching(pattern), key=lambda rule: rule.key)
    if not matching:
        raise InputError("unknown-name", Argument("key"), f"no rule of {profile.name} matches {pattern!r}")
    return RuleList(
        profile=profile.name,
        title=profile.title,
        version=profile.version,
        sha256=profile.sha256,
        lineage=list(profile.lineage),
        notes=list(profile.notes),
        rules=[rule for rule in matching if not (unverified and rule.verified)],
    )


def document(result: ProfileList | RuleList) -> Document:
    """The document of either list."""
    return _profiles(result) if isinstance(result, ProfileList) else _rules(result)


def _profiles(result: ProfileList) -> Document:
    rows: list[list[Cell]] = [
        [one.name, one.title, one.rules, one.unverified, one.unknown, ", ".join(one.aliases)]
        for one in result.profiles
    ]
    columns = [
        *text_columns("Profile", "Title"), Column("Rules"), Column("Unverified"), Column("Unknown", rank=2),
        Column("Aliases", text=True, rank=1),
    ]  # fmt: skip
    table = Figure("profiles", "Rule profiles", "", Table(columns, rows), wide=True, brief=True)
    return Document(
        key="rules",
        kind="rule profiles",
        title="Rule profiles",
        verdict=[f"The library has {numbers.counted(len(rows), 'rule profile')}."],
        sections=[Section("profiles", "Profiles", [table])],
    )


def _rules(result: RuleList) -> Document:
    unverified = sum(not rule.verified for rule in result.rules)
    rows: list[list[Cell]] = [
        [
            rule.key, value_text(rule) + ("" if rule.verified else " *"), mark_text(rule), rule.note,
            "; ".join(rule.sources),
        ]
        for rule in result.rules
    ]  # fmt: skip
    columns = [
        *text_columns("Rule", "Value"), Column("Mark", text=True, rank=1),
        Column("Note", text=True, rank=2), Column("Source", text=True, rank=3),
    ]  # fmt: skip
    table = Figure("rules", result.title, "* not verified.", Table(columns, rows), wide=True, brief=True)
    return Document(
        key="rules",
        kind="rules",
        title=result.profile,
        meta=f"{result.title} · version {result.version}",
        verdict=[f"{result.profile}: {numbers.counted(len(rows), 'rule')}, {unverified} of them unverified."],
        sections=[Section("rules", "Rules", [table])],
        caveats=[Caveat(note) for note in result.notes],
        provenance=[("Rules", f"{' < '.join(result.lineage)}, SHA-256 {result.sha256}")],
    )


def markdown() -> str:
    """All rules of the library's files, for the reference."""
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
    own = profile_file(name)
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
        words = ", ".join(names[text] for text in rule.sources) + (f": {rule.note}" if rule.note else "")
        cells = (f"`{rule.key}`", value_text(rule), mark_text(rule), "yes" if rule.verified else "no", words)
        yield f"| {' | '.join(map(_cell, cells))} |"


def _table_lines(titles: list[str]) -> list[str]:
    return [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def value_text(rule: Rule) -> str:
    """A value with its unit, where the unit is one of measure."""
    if rule.value is None:
        return f"unknown: {rule.unknown}"
    text = rule.value if isinstance(rule.value, str) else json.dumps(rule.value, ensure_ascii=False)
    number = isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    return f"{text} {rule.unit}" if number and rule.unit != "1" else text


def mark_text(rule: Rule) -> str:
    """Where a value comes from; of a recalled one how sure the memory is."""
    return rule.mark + (f" ({rule.confidence})" if rule.confidence else "")

"""What ``iowatt explain`` shows: one key of a scenario in full, or all keys with their first sentences."""

from __future__ import annotations

from iowatt.model.scenario.result import ExplainedKey, Explanation, KeyFacts
from iowatt.render.document import Document, Section, aligned


def document(found: Explanation) -> Document:
    """The document of one key or of all."""
    if len(found.keys) == 1:
        return _one(found.keys[0])
    lines = aligned([(key.path, _in_short(key)) for key in found.keys])
    meta = f"{len(found.keys)} keys; `iowatt explain KEY` describes one in full"
    return Document("explain", "keys", "keys", meta, sections=[Section("keys", "Keys", [], lines)])


def _one(key: ExplainedKey) -> Document:
    sections = [
        Section(f"variant-{number}", f"With {facts.only_with}", [], _variant(facts))
        for number, facts in enumerate(key.variants)
    ]
    rows = [] if key.variants else _rows(key, ("only with", key.only_with))
    rows += [("full path", key.named if key.named != key.path else ""), ("keys", ", ".join(key.keys))]
    rows.append(("library", ", ".join(key.library)))
    return Document(
        key="explain",
        kind="key",
        title=key.path,
        verdict=[] if key.variants else [key.description],
        sections=[*sections, Section("figures", "Figures", [], aligned([row for row in rows if row[1]]))],
    )


def _variant(facts: KeyFacts) -> list[str]:
    return [f"with {facts.only_with}", facts.description, *aligned(_rows(facts)), ""]


def _rows(facts: KeyFacts, *more: tuple[str, str | None]) -> list[tuple[str, str]]:
    rows = (
        ("accepts", facts.accepts),
        ("unit", facts.unit),
        ("default", facts.default),
        *more,
        ("example", facts.example),
    )
    return [(label, value) for label, value in rows if value]


def _in_short(key: ExplainedKey) -> str:
    """The first sentence of the description, or of each, where tables of a union differ."""
    firsts = [facts.description.partition(". ")[0].rstrip(".") for facts in (key.variants or (key,))]
    return " | ".join(dict.fromkeys(firsts))

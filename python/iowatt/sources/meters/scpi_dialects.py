"""How makers of power analysers name quantities over SCPI: which commands say what is sent, and what asks it.

A dialect only chooses what is sent. Nothing that the instrument measures with is set: ranges, filters, update
interval stay as they are.

Sources: Yokogawa WT300 communication interface manual (IM WT310-17EN); Rohde & Schwarz HMC8015 SCPI
programmer's manual; Hioki PW3335, PW3336 and PW3337 communication command instruction manuals (PW3335A985,
PW3336A987). Of the last two makers' manuals only parts could be read, and the rest follows published programs
for these instruments; no real one was tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Items = Sequence[str]


@dataclass(frozen=True)
class ScpiDialect:
    """A maker's words."""

    title: str
    #: What ``*IDN?`` has for maker and model, in upper case.
    maker: re.Pattern[str]
    model: re.Pattern[str]
    #: Elements (inputs) that an address may name, in upper case; the first is the default.
    elements: re.Pattern[str]
    #: Item by quantity; ``thd_percent`` only where it is asked for.
    items: Mapping[str, str]
    #: Commands before the first query, by items and element.
    set_up: Callable[[Items, str], list[str]]
    #: The query of one update of all items, by items and element.
    query: Callable[[Items, str], str]
    #: Between the values of an answer.
    separator: str
    #: Models in SPEC's list of accepted analysers, as PTDaemon drives them; None: none of them.
    accepted: re.Pattern[str] | None = None

    def knows(self, maker: str, model: str) -> bool:
        """Whether it is the dialect of an instrument."""
        known = self.maker.fullmatch(maker.upper()) and self.model.fullmatch(model.upper())
        return known is not None

    def is_accepted(self, model: str) -> bool:
        """Whether SPEC's list has the model."""
        return self.accepted is not None and self.accepted.fullmatch(model.upper()) is not None


def _yokogawa_set_up(items: Items, element: str) -> list[str]:
    listed = ";".join(f"ITEM{place} {item},{element}" for place, item in enumerate(items, 1))
    return [
        ":COMMUNICATE:HEADER OFF",
        ":NUMERIC:FORMAT ASCII",
        f":NUMERIC:NORMAL:NUMBER {len(items)};{listed}",
    ]


def _hioki_query(items: Items, element: str) -> str:
    return f":MEASURE? {','.join(f'{item}{element}' for item in items)}"


YOKOGAWA: Final = ScpiDialect(
    title="a Yokogawa WT",
    maker=re.compile("YOKOGAWA"),
    model=re.compile(".*"),
    elements=re.compile(r"[1-7]|SIGMA[AB]?"),
    items={
        "watts": "P", "volts": "U", "amperes": "I", "power_factor": "LAMBDA", "hertz": "FU",
        "thd_percent": "UTHD",
    },
    set_up=_yokogawa_set_up,
    query=lambda _items, _element: ":NUMERIC:NORMAL:VALUE?",
    separator=",",
    accepted=re.compile(r"WT(210|310|330|332|333|500|1800|5000)(E|EH|HC)?"),
)  # fmt: skip

ROHDE_SCHWARZ: Final = ScpiDialect(
    title="a Rohde & Schwarz HMC8015",
    maker=re.compile(r"ROHDE ?& ?SCHWARZ|R&S|HAMEG"),
    model=re.compile("HMC8015.*"),
    elements=re.compile("1"),
    items={
        "watts": "P", "volts": "URMS", "amperes": "IRMS", "power_factor": "LAMBDA", "hertz": "FU",
        "thd_percent": "UTHD",
    },
    set_up=lambda items, _element: [f"CHANNEL1:MEASUREMENT:FUNCTIONS {','.join(items)}"],
    query=lambda _items, _element: "CHANNEL1:MEASUREMENT:DATA?",
    separator=",",
)  # fmt: skip

_HIOKI_ITEMS: Final = {
    "watts": "P", "volts": "U", "amperes": "I", "power_factor": "PF", "hertz": "FREQU", "thd_percent": "UTHD",
}  # fmt: skip

#: One input, whose items have no number.
HIOKI_SINGLE: Final = ScpiDialect(
    title="a Hioki PW3335",
    maker=re.compile("HIOKI.*"),
    model=re.compile(r"PW3335(-0\d)?"),
    elements=re.compile("1"),
    items=_HIOKI_ITEMS,
    set_up=lambda _items, _element: [":HEADER OFF"],
    query=lambda items, _element: _hioki_query(items, ""),
    separator=";",
    accepted=re.compile(r"PW3335(-0\d)?"),
)

HIOKI: Final = ScpiDialect(
    title="a Hioki PW3336 or PW3337",
    maker=re.compile("HIOKI.*"),
    model=re.compile(r"PW333[67](-0\d)?"),
    elements=re.compile("[1-3]"),
    items=_HIOKI_ITEMS,
    set_up=lambda _items, _element: [":HEADER OFF"],
    query=_hioki_query,
    separator=";",
    accepted=re.compile(r"PW333[67](-0\d)?"),
)

DIALECTS: Final = (YOKOGAWA, ROHDE_SCHWARZ, HIOKI_SINGLE, HIOKI)


def dialect(maker: str, model: str) -> ScpiDialect | None:
    """The dialect of an instrument; None where it is none of them."""
    return next((one for one in DIALECTS if one.knows(maker, model)), None)


def titles() -> str:
    """The instruments that are known, in words."""
    *first, last = (one.title for one in DIALECTS)
    return f"{', '.join(first)} or {last}"

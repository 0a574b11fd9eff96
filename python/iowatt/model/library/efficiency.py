"""Efficiency tables of power supplies by certificate and input voltage, with their source."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

INPUTS: Final = ("115V", "230V", "230V-eu")


@dataclass(frozen=True)
class Certificate:
    """What a certificate asks for: by input, (load, efficiency) as shares."""

    name: str
    title: str
    source: str
    quality: str
    tables: dict[str, tuple[tuple[float, float], ...]]


@cache
def certificates() -> dict[str, Certificate]:
    """All of the library by name."""
    text = resources.files("iowatt.model.library").joinpath("efficiency.toml").read_text("utf-8")
    return {
        name: Certificate(
            name,
            table["title"],
            table["source"],
            table["quality"],
            {
                place: tuple((float(load), float(eta)) for load, eta in table[place])
                for place in INPUTS
                if place in table
            },
        )
        for name, table in tomllib.loads(text).items()
    }

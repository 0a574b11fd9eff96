"""The parsers of ``units`` as pydantic types, each with what an editor and a reader need to know about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from iowatt.base import units

_N: Final = r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"


def _schema(accepts: str, pattern: str, *, number: bool, examples: list[str | int]) -> WithJsonSchema:
    schema: dict[str, Any] = {"type": "string", "pattern": f"^{pattern}$"}
    if number:
        schema = {"anyOf": [{"type": "number", "minimum": 0}, schema]}
    return WithJsonSchema({**schema, "examples": examples, "x-accepts": accepts})


def _parser(parse: Callable[[object], float]) -> BeforeValidator:
    return BeforeValidator(parse)


_SIZE_PATTERN: Final = rf"\s*{_N}\s*([kKmMgGtTpP]([iI]?[bB])?|[bB])?\s*"
_CAPACITY_PATTERN: Final = rf"\s*{_N}\s*([kKMGTP]i?)?B\s*"
_RATE_PATTERN: Final = rf"\s*{_N}\s*([kKMGT]i?)?(B|bit)/s\s*"
_DURATION_PATTERN: Final = rf"\s*{_N}\s*(ns|us|µs|ms|s|sec|min|h|d)\s*"
_DISTANCE_PATTERN: Final = rf"\s*{_N}\s*k?m\s*"
_POWER_PATTERN: Final = rf"\s*{_N}\s*(mW|W|kW)\s*"
_SPEED_PATTERN: Final = rf"\s*{_N}\s*([rR][pP][mM])?\s*"

BlockSize = Annotated[
    int,
    _parser(units.parse_block_size),
    _schema(units.BLOCK_SIZE, _SIZE_PATTERN, number=True, examples=["16KiB", "64k", 4096]),
]
Capacity = Annotated[
    int,
    _parser(units.parse_capacity),
    _schema(units.CAPACITY, _CAPACITY_PATTERN, number=False, examples=["2TB", "500GiB"]),
]
Rate = Annotated[
    float,
    _parser(units.parse_rate),
    _schema(units.RATE, _RATE_PATTERN, number=False, examples=["160MB/s"]),
]
Duration = Annotated[
    float,
    _parser(units.parse_duration),
    _schema(units.DURATION, _DURATION_PATTERN, number=False, examples=["10s", "500us"]),
]
SignedDuration = Annotated[
    float,
    _parser(units.parse_signed_duration),
    _schema(
        units.DURATION + ", negative allowed",
        r"\s*-?" + _DURATION_PATTERN.removeprefix(r"\s*"),
        number=False,
        examples=["0.487ms", "-0.1ms"],
    ),
]
Distance = Annotated[
    float,
    _parser(units.parse_distance),
    _schema(units.DISTANCE, _DISTANCE_PATTERN, number=False, examples=["10km", "300m"]),
]
Power = Annotated[
    float,
    _parser(units.parse_power),
    _schema(units.POWER, _POWER_PATTERN, number=False, examples=["22.3W", "900mW"]),
]
Speed = Annotated[
    float,
    _parser(units.parse_speed),
    _schema(units.SPEED, _SPEED_PATTERN, number=True, examples=[7200, "12000rpm"]),
]
Iops = Annotated[
    float,
    BeforeValidator(units.parse_iops),
    Field(gt=0),
    WithJsonSchema(
        {
            "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}],
            "examples": [500],
            "x-accepts": units.IOPS,
        }
    ),
]

"""The parsers of ``units`` as pydantic types, each with what an editor and a reader need to know about it."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from iowatt.base import units
from iowatt.base.strict import Unit

_N: Final = r"\s*[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*"


def _schema(accepts: str, pattern: str, *examples: str | int) -> WithJsonSchema:
    """Text of a pattern; also a number without a unit where an example is one."""
    schema: dict[str, Any] = {"type": "string", "pattern": rf"^{pattern}\s*$"}
    if any(isinstance(example, int) for example in examples):
        schema = {"anyOf": [{"type": "number", "minimum": 0}, schema]}
    return WithJsonSchema({**schema, "examples": list(examples), "x-accepts": accepts})


_DURATION: Final = rf"{_N}(ns|us|µs|ms|s|sec|min|h|d)"

BlockSize = Annotated[
    int,
    BeforeValidator(units.parse_block_size),
    _schema(units.BLOCK_SIZE, rf"{_N}([kKmMgGtTpP]([iI]?[bB])?|[bB])?", "16KiB", "64k", 4096),
    Unit("bytes"),
]
Capacity = Annotated[
    int,
    BeforeValidator(units.parse_capacity),
    _schema(units.CAPACITY, rf"{_N}([kKMGTP]i?)?B", "2TB", "500GiB"),
    Unit("bytes"),
]
Rate = Annotated[
    float,
    BeforeValidator(units.parse_rate),
    _schema(units.RATE, rf"{_N}([kKMGT]i?)?(B|bit)/s", "160MB/s"),
    Unit("bytes/s"),
]
Duration = Annotated[
    float,
    BeforeValidator(units.parse_duration),
    _schema(units.DURATION, _DURATION, "10s", "500us"),
    Unit("s"),
]
SignedDuration = Annotated[
    float,
    BeforeValidator(units.parse_signed_duration),
    _schema(
        f"{units.DURATION}, negative allowed", r"\s*-?" + _DURATION.removeprefix(r"\s*"), "0.487ms", "-0.1ms"
    ),
    Unit("s"),
]
Distance = Annotated[
    float,
    BeforeValidator(units.parse_distance),
    _schema(units.DISTANCE, rf"{_N}k?m", "10km", "300m"),
    Unit("m"),
]
Power = Annotated[
    float,
    BeforeValidator(units.parse_power),
    _schema(units.POWER, rf"{_N}(mW|W|kW)", "22.3W", "900mW"),
    Unit("W"),
]
Speed = Annotated[
    float,
    BeforeValidator(units.parse_speed),
    _schema(units.SPEED, rf"{_N}([rR][pP][mM])?", 7200, "12000rpm"),
    Unit("rpm"),
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
    Unit("IOPS"),
]
Percent = Annotated[float, Field(ge=0, le=100), Unit("%")]
Share = Annotated[float, Field(ge=0, le=1)]

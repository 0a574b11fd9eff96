"""What every table of an input file has in common: no unknown keys, no NaN, and no key without words."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticUndefined


class Strict(BaseModel):
    """A table of which each key is known, finite and unchangeable once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True, defer_build=True)


def key(
    description: str,
    *,
    default: Any = PydanticUndefined,
    unit: str | None = None,
    accepts: str | None = None,
    example: Any = None,
    unset: str | None = None,
    **constraints: Any,
) -> Any:
    """A documented key of a table.

    Parameters
    ----------
    description:
        What the key means, in full sentences; printed by ``iowatt explain`` and put into the JSON Schema.
    default:
        Its value where it is left out; without one the key is required.
    unit:
        The unit of the value after reading.
    accepts:
        What may be written, where the type does not say it well.
    example:
        One value as it would be written in TOML.
    unset:
        What leaving the key out means, where the default is ``None``.
    constraints:
        ``gt``, ``ge``, ``le``, ``pattern``, ``min_length`` and the like.
    """
    extra = {"x-unit": unit, "x-accepts": accepts, "x-example": example, "x-unset": unset}
    return Field(
        default,
        description=description,
        json_schema_extra={name: value for name, value in extra.items() if value is not None},
        **constraints,
    )


# Digits may lead (a tier `10k`), but a letter must follow: `array.pool.0` is the first pool.
NAME_PATTERN: Final = r"^[0-9]*[A-Za-z][A-Za-z0-9_-]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=64)]

"""What every table of an input file has in common: no unknown keys, no NaN, and no key without words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, get_args

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticUndefined


class Strict(BaseModel):
    """A table without unknown keys, whose numbers are finite; it is not changed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True, defer_build=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give each key the unit of its type, unless it names one itself."""
        super().__pydantic_init_subclass__(**kwargs)
        for info in cls.model_fields.values():
            extra = info.json_schema_extra
            if isinstance(extra, dict) and "x-unit" not in extra and (unit := _unit(info)) is not None:
                extra["x-unit"] = unit


class ShortForm(Strict):
    """A table that a text may stand for: the value of its key ``SHORT_KEY``, all else left out."""

    SHORT_KEY: ClassVar[str] = "name"
    SHORT_MEANS: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {cls.SHORT_KEY: value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        table = handler.resolve_ref_schema(handler(core))
        return {"anyOf": [{"type": "string", "description": cls.SHORT_MEANS}, table], "title": cls.__name__}


@dataclass(frozen=True)
class Unit:
    """Marks a quantity type with the unit of its values after reading."""

    symbol: str


def _unit(info: FieldInfo) -> str | None:
    """The unit of a field's type, also where the type is optional."""
    optional = [part for choice in get_args(info.annotation) for part in get_args(choice)]
    return next((part.symbol for part in (*info.metadata, *optional) if isinstance(part, Unit)), None)


def key(
    description: str,
    *,
    default: Any = PydanticUndefined,
    unset: str | None = None,
    within: tuple[float, float] | None = None,
    unit: str | None = None,
    accepts: str | None = None,
    example: Any = None,
    **constraints: Any,
) -> Any:
    """A documented key of a table.

    Parameters
    ----------
    description:
        What the key means, in full sentences; printed by ``iowatt explain`` and put into the JSON Schema.
    default:
        Its value where it is left out; without one, and without ``unset``, the key is required.
    unset:
        What leaving the key out means; its default is then ``None`` unless ``default`` says otherwise.
    within:
        The least and the greatest value accepted.
    unit:
        The unit of the value after reading, where its type does not have one.
    accepts:
        What may be written, where the type does not say it well.
    example:
        One value as it would be written in TOML.
    constraints:
        ``gt``, ``ge``, ``le``, ``pattern``, ``min_length`` and the like.
    """
    extra = {"x-unit": unit, "x-accepts": accepts, "x-example": example, "x-unset": unset}
    if within is not None:
        constraints["ge"], constraints["le"] = within
    return Field(
        None if unset is not None and default is PydanticUndefined else default,
        description=description,
        json_schema_extra={name: value for name, value in extra.items() if value is not None},
        **constraints,
    )


# Digits may lead (a tier `10k`), but a letter must follow: `array.pool.0` is the first pool.
NAME_PATTERN: Final = r"^[0-9]*[A-Za-z][A-Za-z0-9_-]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=64)]

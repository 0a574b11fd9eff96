"""The catalogue of keys: the meaning of each key of a table, its unit, its default, what it accepts.

It is derived from the models, so that ``iowatt explain``, errors and the JSON Schema agree.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from iowatt.base import toml_writer
from iowatt.base.units import format_bytes

_LIMITS = {
    "minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below",
}  # fmt: skip
_NOUNS = {
    "string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false",
}  # fmt: skip


@dataclass(frozen=True)
class Key:
    """One key, or one table, of a document.

    ``path`` leaves out indices and names of list elements: ``array.pool.raid.level``.
    """

    path: str
    description: str
    accepts: str
    unit: str | None
    default: Any
    required: bool
    unset: str | None
    example: Any
    only_with: str | None
    is_list: bool
    children: tuple[str, ...] = field(default=())
    #: What the tables of a union that have the key say of it, where they do not say the same.
    variants: tuple[Key, ...] = field(default=())

    def within(self, table: Mapping[str, Any]) -> Key:
        """The key as the given table of a union has it, by the tag in that table."""
        said = {f"{name} = {toml_text(value)}" for name, value in table.items()}
        return next((one for one in self.variants if said & set(_conditions(one))), self)

    @property
    def default_text(self) -> str:
        """The default for people."""
        if self.required:
            return "none (required)"
        if self.unset is not None:
            return f"if omitted: {self.unset}"
        if isinstance(self.default, BaseModel) or self.default == []:
            return "the defaults of its keys" if self.default else "none"
        if self.unit == "bytes":
            return format_bytes(self.default, binary=True)
        if self.unit is None or isinstance(self.default, dict):
            return toml_text(self.default)
        parts = self.default if isinstance(self.default, tuple) else (self.default,)
        return ", ".join(f"{part:g} {self.unit}" for part in parts)


toml_text: Final = toml_writer.inline
"""A value as it would be written in TOML, on one line."""


class Catalogue(Mapping[str, Key]):
    """Keys by path. Each is made on first use: what it accepts is read off a schema of its own."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._parts: dict[str, list[tuple[bool, Callable[[], Key]]]] = {}
        self._made: dict[str, Key] = {}
        _walk(model, "", None, self._parts)

    def __getitem__(self, path: str) -> Key:
        if path not in self._made:
            (_, first), *others = self._parts[path]
            key = first()
            for tag, again in others:
                key = _joined(key, again(), tag)
            self._made[path] = key
        return self._made[path]

    def __contains__(self, path: object) -> bool:
        return path in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


@cache
def catalogue(model: type[BaseModel]) -> Catalogue:
    """All keys below ``model`` by path, in the order of the models."""
    return Catalogue(model)


def _walk(
    model: type[BaseModel],
    prefix: str,
    only_with: str | None,
    found: dict[str, list[tuple[bool, Callable[[], Key]]]],
) -> None:
    for field_name, info in model.model_fields.items():
        path = f"{prefix}{info.alias or field_name}"
        tables, is_list = _tables(info.annotation)
        part = partial(_key, path, info, tables, is_list, only_with)
        found.setdefault(path, []).append((_is_tag(info), part))
        tag = _discriminator(info)
        for table in tables:
            condition = _tag(table, tag) if tag else only_with
            _walk(table, f"{path}.", condition, found)


def _joined(known: Key, again: Key, tag: bool) -> Key:
    """A key that several tables of a union have, such as the tag that tells them apart."""
    accepts = known.accepts
    if again.accepts not in accepts:
        accepts = f"{accepts}{', ' if tag else ' or '}{again.accepts}"
    description = known.description
    if tag:  # each table says what its own tag means
        known_said = _sentences(description)
        description = " ".join(
            [*known_said, *(s for s in _sentences(again.description) if s not in known_said)]
        )
    return replace(
        known,
        description=description,
        accepts=accepts,
        only_with=_either(known, again),
        variants=_with_variant(known, again),
    )


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) ", text)


def _with_variant(known: Key, again: Key) -> tuple[Key, ...]:
    """The variants of ``known`` and ``again``; none where they say the same or cannot be told apart."""
    if again.only_with is None or known.only_with is None:
        return ()
    variants = list(known.variants) or [known]
    for at, one in enumerate(variants):
        if _said(one) == _said(again):
            variants[at] = replace(one, only_with=_either(one, again))
            break
    else:
        variants.append(again)
    return tuple(variants) if len(variants) > 1 else ()


def _said(key: Key) -> tuple[str, str, str | None, str]:
    return key.description, key.accepts, key.unit, key.default_text


def _either(known: Key, again: Key) -> str | None:
    if again.only_with is None or known.only_with is None:
        return None
    more = [condition for condition in _conditions(again) if condition not in _conditions(known)]
    return " or ".join([known.only_with, *more])


def _conditions(key: Key) -> list[str]:
    return [] if key.only_with is None else key.only_with.split(" or ")


def _discriminator(info: FieldInfo) -> str | None:
    """The key that tells the tables of a union apart; the union may be one of the choices of the field."""
    if isinstance(info.discriminator, str):
        return info.discriminator
    for choice in typing.get_args(info.annotation):
        for part in typing.get_args(choice):
            if isinstance(part, FieldInfo) and isinstance(part.discriminator, str):
                return part.discriminator
    return None


def _tag(table: type[BaseModel], tag: str) -> str:
    (literal,) = typing.get_args(table.model_fields[tag].annotation)
    return f'{tag} = "{literal}"'


def _key(
    path: str, info: FieldInfo, tables: list[type[BaseModel]], is_list: bool, only_with: str | None
) -> Key:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    children = tuple(dict.fromkeys(name for table in tables for name in table.model_fields))
    required = info.is_required()
    tag = _is_tag(info)
    return Key(
        path=path,
        description=(info.description or "").strip(),
        accepts=_accepts(info, tables, is_list),
        unit=typing.cast("str | None", extra.get("x-unit")),
        default=None if required else info.get_default(call_default_factory=True),
        required=required,
        unset=typing.cast("str | None", extra.get("x-unset")),
        example=extra.get("x-example"),
        only_with=None if tag else only_with,
        is_list=is_list,
        children=children,
    )


def _is_tag(info: FieldInfo) -> bool:
    return typing.get_origin(info.annotation) is typing.Literal and len(typing.get_args(info.annotation)) == 1


def _tables(annotation: Any) -> tuple[list[type[BaseModel]], bool]:
    """The models inside a type, and whether they come as a list."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _tables(typing.get_args(annotation)[0])
    if origin is list:
        return _tables(typing.get_args(annotation)[0])[0], True
    if origin in (typing.Union, types.UnionType):
        inner = [_tables(argument) for argument in typing.get_args(annotation)]
        return [t for tables, _ in inner for t in tables], any(is_list for _, is_list in inner)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation], False
    return [], False


def _accepts(info: FieldInfo, tables: list[type[BaseModel]], is_list: bool) -> str:
    if isinstance(info.json_schema_extra, dict) and "x-accepts" in info.json_schema_extra:
        return str(info.json_schema_extra["x-accepts"])
    if tables:
        fields = [item for table in tables for item in table.model_fields.items()]
        keys = ", ".join(dict.fromkeys(info.alias or name for name, info in fields))
        text = f"{'tables' if is_list else 'a table'} with the keys {keys}"
        for short in dict.fromkeys(getattr(table, "SHORT", None) for table in tables):
            if short is not None:
                text = f"{short[is_list]}, or {text}"
        return text + (_how_many(*_lengths(info)) if is_list else "")
    annotated: Any = typing.Annotated[info.annotation, info]
    return schema_text(TypeAdapter(annotated).json_schema())


def _lengths(info: FieldInfo) -> tuple[int | None, int | None]:
    """Fewest and most elements."""
    found: dict[str, int] = {}
    for limit in info.metadata:
        found |= {name: getattr(limit, name) for name in ("min_length", "max_length") if hasattr(limit, name)}
    return found.get("min_length"), found.get("max_length")


def _how_many(least: int | None, most: int | None) -> str:
    if most is None:
        return f"; at least {least}" if least else ""
    return f"; {least} to {most}" if least else f"; at most {most}"


def number_text(value: float) -> str:
    """A limit as people write it: whole numbers in full."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:g}"


def schema_text(schema: dict[str, Any]) -> str:
    """A JSON Schema of one value, in words."""
    if "x-accepts" in schema:
        return str(schema["x-accepts"])
    if "const" in schema:
        return toml_text(schema["const"])
    if "enum" in schema:
        return ", ".join(toml_text(v) for v in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(schema_text(s) for s in schema["anyOf"] if s.get("type") != "null")
    if schema.get("type") == "array":
        several = _how_many(schema.get("minItems"), schema.get("maxItems"))
        return f"a list of {schema_text(schema.get('items', {}))}{several}"
    text = _NOUNS.get(str(schema.get("type")), "a table")
    limits = [
        f"{words} {number_text(schema[name])}"
        for name, words in _LIMITS.items()
        if name in schema and abs(schema[name]) < 2**31
    ]
    return " ".join([text, " and ".join(limits)]).strip()


def resolve(model: type[BaseModel], path: str) -> str:
    """``path`` without the names and indices of list elements: what the catalogue is keyed by.

    Parts that are no key are kept, so that the caller can say which are unknown.
    """
    keys = catalogue(model)
    done = ""
    skip_allowed = False
    for part in path.split("."):
        candidate = f"{done}.{part}" if done else part
        if candidate in keys:
            done, skip_allowed = candidate, keys[candidate].is_list
        elif skip_allowed:
            skip_allowed = False
        else:
            return f"{done}.{part}" if done else part
    return done

"""Bytes that a token has in the key-value cache of a language model.

A token keeps a key and a value vector of every layer and key-value head:

    bytes = 2 x layers x kv_heads x head_dim x bytes of an element

(Kwon et al., PagedAttention, SOSP 2023, section 3). Models with latent attention keep one compressed vector
of a layer in place of both, so that their elements of a token and layer are given.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.model.library import LIBRARY

#: Bytes of an element by type.
ELEMENT_BYTES: Final = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}


@dataclass(frozen=True)
class KvShape:
    """A model's part in the size of its cache; ``elements`` are those of a token in one layer."""

    name: str
    layers: int
    elements: int
    source: str

    def bytes_per_token(self, element: str) -> int:
        """Bytes of a token in elements of a type of ``ELEMENT_BYTES``, rounded up."""
        return -int(-self.layers * self.elements * ELEMENT_BYTES[element] // 1)


@cache
def _models() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((LIBRARY / "language_models.toml").read_text("utf-8"))


def model_names() -> tuple[str, ...]:
    """Models whose shape is known, sorted."""
    return tuple(sorted(_models()))


def element_types() -> tuple[str, ...]:
    """Types that elements may have."""
    return tuple(ELEMENT_BYTES)


def shape_of(name: str) -> KvShape:
    """The shape of a model of the library. Raises ``InputError`` with near names."""
    found = _models().get(name)
    if found is None:
        hint = suggestion(name, model_names(), "models")
        message = f"the shape of {name!r} is not known; give `bytes_per_token=` of another model"
        raise InputError("unknown-name", Argument("llm"), message, hint=hint)
    elements = found.get("elements") or 2 * found["kv_heads"] * found["head_dim"]
    return KvShape(name, found["layers"], elements, f"{found['source']} ({found['quality']})")

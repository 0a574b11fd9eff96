"""The class of a product as a document, ``iowatt.emerald-class/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.classify.requirement import Unmet


class CategoryAndClass(Result):
    """Category and class by the product's attributes."""

    category: str | None
    class_: int | None = Field(alias="class")


class DecidedClass(Result):
    """A class that a person decided on."""

    class_: str = Field(alias="class")
    note: str


class ClassJudged(Result):
    """Whether a class is met."""

    class_: int = Field(alias="class")
    met: bool
    unmet: list[Unmet]


class RulesConsulted(Result):
    """The rules, and the keys of those used that are not verified."""

    profile: str
    version: str
    sha256: str
    unverified: list[str]


class ProductClass(ResultDocument):
    """Category and class of a product, and what stops it from the next class."""

    schema_id: Literal["iowatt.emerald-class/1"] = Field(default="iowatt.emerald-class/1", alias="schema")
    vendor: str
    name: str
    #: In force: those decided on, or those found.
    category: str | None
    class_: int | None = Field(alias="class")
    id: str | None
    computed: CategoryAndClass
    override: DecidedClass | None
    next_class: int | None
    stops: list[Unmet]
    classes: list[ClassJudged]
    #: By category that does not fit: why not.
    other_categories: dict[str, list[str]]
    #: Why another might see it otherwise.
    boundary: list[Note]
    energystar_scope: bool | None
    notes: list[Note]
    rules: RulesConsulted

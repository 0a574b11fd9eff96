"""The class of a product as a document, ``iowatt.emerald-class/1``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.rules import RulesReference

#: Rows of the tables in the order in which they are shown, and how people call them.
ATTRIBUTES: Final = {
    "connectivity": "connectivity",
    "consumer": "consumer or component",
    "integrated_controller": "integrated controller",
    "storage_protection": "storage protection",
    "no_single_point_of_failure": "no single point of failure",
    "non_disruptive_serviceability": "non-disruptive serviceability",
    "fba_ckd": "FBA and CKD",
    "robotics": "robotics",
    "maximum_configuration": "maximum configuration",
}


@dataclass(frozen=True)
class Unmet:
    """An attribute that keeps a product from a class."""

    attribute: str
    needs: str  #: The requirement of the class: "required", "network", "> 100".
    has: str | None  #: The product's attribute; None where it is not stated.

    @property
    def text(self) -> str:
        """In words."""
        number = self.needs[0] in "<>0123456789"
        has = f"it has {self.has}" if number else f"the product: {self.has}"
        return f"{ATTRIBUTES[self.attribute]} ({self.needs}; {'not stated' if self.has is None else has})"


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


class ProductClass(ResultDocument):
    """Category and class of a product, with the unmet requirements of the next class."""

    schema_id: Literal["iowatt.emerald-class/1"] = Field(default="iowatt.emerald-class/1", alias="schema")
    vendor: str
    name: str
    category: str | None  #: Those decided on, else those computed.
    class_: int | None = Field(alias="class")
    id: str | None
    computed: CategoryAndClass
    override: DecidedClass | None
    next_class: int | None
    stops: list[Unmet]
    classes: list[ClassJudged]
    other_categories: dict[str, list[str]]  #: Why not, by category that does not fit.
    boundary: list[Note]  #: Limits and attributes near which the class changes.
    energystar_scope: bool | None
    notes: list[Note]
    rules: RulesReference

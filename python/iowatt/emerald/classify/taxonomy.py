"""The class of a product: the highest one with every requirement met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import Problem, suggestion
from iowatt.base.results import Note
from iowatt.emerald.classify.product import Product, ProductFile, contradictions
from iowatt.emerald.classify.requirement import near_categories, near_classes, unmet, within
from iowatt.emerald.classify.result import (
    ATTRIBUTES,
    CategoryAndClass,
    ClassJudged,
    DecidedClass,
    ProductClass,
    Unmet,
)
from iowatt.emerald.rules import Rules

_TITLES: Final = {
    "online": "Online",
    "near-online": "Near-Online",
    "removable-media-library": "Removable Media Library",
    "virtual-media-library": "Virtual Media Library",
    "adjunct": "Adjunct Product",
    "interconnect": "Interconnect Element",
}


@dataclass(frozen=True)
class Override:
    """A class that a person decided on."""

    category: str
    class_: int
    note: str

    @property
    def id(self) -> str:
        """``online-3``."""
        return f"{self.category}-{self.class_}"


@dataclass(frozen=True)
class Classification:
    """Category and class of a product, and why not a higher one."""

    product: Product
    rules: Rules
    category: str | None  #: None where no category fits; ``reasons`` says why.
    class_: int | None  #: None where the category has no classes, or no class is met.
    reasons: Mapping[str, Sequence[str]]  #: By category that does not fit: why not.
    unmet: Mapping[int, Sequence[Unmet]]  #: By class: unmet requirements; empty where the class is met.
    table: Mapping[str, Sequence[str]]  #: By attribute: the requirement of each class.
    boundary: Sequence[Note]  #: Limits and attributes near which the class changes.
    notes: Sequence[Note]
    override: Override | None = None

    @property
    def found(self) -> tuple[str | None, int | None]:
        """Category and class: those decided on, else those computed."""
        decided = self.override or self
        return decided.category, decided.class_

    @property
    def next_class(self) -> int | None:
        """The class above the computed one; None at the top."""
        higher = [one for one in self.unmet if self.class_ is None or one > self.class_]
        return min(higher, default=None)

    @property
    def stops(self) -> Sequence[Unmet]:
        """Unmet requirements of the next class."""
        return self.unmet[self.next_class] if self.next_class is not None else ()

    @property
    def id(self) -> str | None:
        """``online-3``; the category alone where it has no classes."""
        category, class_ = self.found
        return f"{category}-{class_}" if class_ is not None else category

    def result(self) -> ProductClass:
        """The document."""
        category, class_ = self.found
        scope = self.rules.known("requirements.classes")
        override = self.override and DecidedClass(class_=self.override.id, note=self.override.note)
        return ProductClass(
            vendor=self.product.vendor,
            name=self.product.name,
            category=category,
            class_=class_,
            id=self.id,
            computed=CategoryAndClass(category=self.category, class_=self.class_),
            override=override,
            next_class=self.next_class,
            stops=list(self.stops),
            classes=[
                ClassJudged(class_=number, met=not rest, unmet=list(rest))
                for number, rest in self.unmet.items()
            ],
            other_categories={name: list(why) for name, why in self.reasons.items()},
            boundary=list(self.boundary),
            energystar_scope=None if scope is None else f"{category}-{class_}" in scope,
            notes=list(self.notes),
            rules=self.rules.reference(),
        )


def classify(file: ProductFile, rules: Rules, override: Override | None = None) -> Classification:
    """Category and class of a product by ``rules``, whose record starts anew.

    Raises ``InputError``: the product contradicts itself or its declared category (with file and line), the
    rules have no taxonomy or no such class as the override.
    """
    rules = rules.fresh()
    product = file.product
    if rules.find("taxonomy.categories") is None:
        hint = "`rules=emerald` has one"
        raise InputError("not-applicable", rules.name, "these rules have no taxonomy", hint=hint)
    file.document.fail(contradictions(product))
    reasons = {name: list(_against(product, name, rules)) for name in rules.names("taxonomy.categories")}
    fitting = [name for name, why in reasons.items() if not why]
    category = _category(file, fitting, reasons)
    unmet_by: dict[int, list[Unmet]] = {}
    table: dict[str, list[str]] = {}
    if category is not None and rules.find(f"taxonomy.{category}.classes"):
        table = _table(category, rules)
        for column, number in enumerate(rules.value(f"taxonomy.{category}.classes")):
            found = (unmet(product, name, row[column]) for name, row in table.items())
            unmet_by[number] = [one for one in found if one is not None]
    met = [number for number, rest in unmet_by.items() if not rest]
    if override is not None:
        _check(override, rules)
    return Classification(
        product=product,
        rules=rules,
        category=category,
        class_=max(met, default=None),
        reasons={name: why for name, why in reasons.items() if why},
        unmet=unmet_by,
        table=table,
        boundary=[*near_categories(product, reasons, rules), *near_classes(product, unmet_by, table)],
        notes=[*(Note(code="product", text=text) for text in product.notes), *_notes(product, rules)],
        override=override,
    )


def title(category: str | None, class_: int | None, rules: Rules) -> str:
    """``Online 3 (mid-range)``."""
    if category is None:
        return "no category"
    if class_ is None:
        return _TITLES.get(category, category)
    level = rules.value("taxonomy.levels").get(str(class_))
    return f"{_TITLES.get(category, category)} {class_}" + (f" ({level})" if level else "")


def parse_override(text: str, note: str | None) -> Override:
    """``online-3`` with its note. Raises ``InputError`` where either is missing."""
    category, _, number = text.rpartition("-")
    if not category or not number.isdecimal():
        message = f"{text!r} is not a class; expected a category and a number, such as online-3"
        raise InputError("bad-syntax", Argument("set_class"), message)
    if not note or not note.strip():
        message = "a class that is set by hand needs a reason"
        raise InputError("missing", Argument("note"), message, hint="add `note=TEXT`")
    return Override(category, int(number), note.strip())


def _check(override: Override, rules: Rules) -> None:
    known = [
        f"{name}-{number}"
        for name in rules.names("taxonomy.procedures")
        for number in rules.value(f"taxonomy.{name}.classes")
    ]
    if override.id not in known:
        text, hint = f"{rules.name} has no class {override.id!r}", suggestion(override.id, known, "classes")
        raise InputError("unknown-name", Argument("set_class"), text, hint=hint)


def _against(product: Product, category: str, rules: Rules) -> Iterator[str]:
    """Why a product is not of a category."""
    milliseconds = product.time_to_first_data * 1000
    limit = rules.value(f"taxonomy.{category}.time_to_first_data_ms")
    if not within(limit, milliseconds):
        yield f"time to first data {milliseconds:g} ms is not {limit} ms"
    needs = rules.value(f"taxonomy.{category}.user_data")
    if product.user_data != (needs == "required"):
        yield f"user-accessible data is {needs}"
    # Random access includes sequential; what is sequential only cannot serve a category that has both.
    access = rules.known(f"taxonomy.{category}.access")
    if access is not None and ("random" in access) != (product.access == "random"):
        yield f"access is {' and '.join(access)}, the product's {product.access}"


def _category(file: ProductFile, fitting: Sequence[str], reasons: Mapping[str, Sequence[str]]) -> str | None:
    declared = file.product.category
    if declared is not None:
        if declared not in reasons:
            text = f"these rules have no category {declared}; expected {', '.join(reasons)}"
            file.document.fail([Problem("unknown-name", ("category",), text)])
        if declared not in fitting:
            others = f"; its attributes are those of {' or '.join(fitting)}" if fitting else ""
            text = f"the product cannot be {declared}: {'; '.join(reasons[declared])}{others}"
            file.document.fail([Problem("conflict", ("category",), text)])
        return declared
    if len(fitting) > 1:
        choices = " or ".join(f'"{name}"' for name in fitting)
        text = f"the product's attributes fit several categories; choose one with category = {choices}"
        file.document.fail([Problem("ambiguous", ("user_data",), text)])
    return fitting[0] if fitting else None


def _table(category: str, rules: Rules) -> dict[str, list[str]]:
    keys = {name: f"taxonomy.{category}.{name}" for name in ATTRIBUTES}
    return {name: rules.value(key) for name, key in keys.items() if rules.find(key) is not None}


def _notes(product: Product, rules: Rules) -> Iterator[Note]:
    if "file" in product.paradigms:
        known = rules.find("access.paradigms")
        text = (
            "file access is tested by SPEC SFS 2014, which iowatt does not run"
            if known
            else f"{rules.name} has no tests of file access"
        )
        yield Note(code="file-access", text=text)

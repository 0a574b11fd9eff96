"""How often a drive fails and cannot read: from the book of field rates, and from its own ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.lenses.durability.result import DriveInputs, InputFigure

if TYPE_CHECKING:
    from iowatt.lenses.book import Book, BookFigure

HOURS_A_YEAR: Final = 8760.0
YEAR_S: Final = HOURS_A_YEAR * 3600.0
DAY_S: Final = 86_400.0
BITS: Final = 8


@dataclass(frozen=True)
class DriveRisk:
    """Failures of a drive, as the engine takes them, and where each figure comes from."""

    inputs: DriveInputs
    weibull_shape: float
    age_years: float
    scrub_days: float
    lost_sector: float

    def life(self, years: float) -> dict[str, Any]:
        """``LifePlan`` of the engine.

        A year's failures of a drive are its annual rate, on average over a horizon of ``years``: with the
        shape b and the age a the Weibull scale is ``(((a + H)^b - a^b) / (rate H))^(1/b)``.
        """
        rate = self.inputs.afr.value
        if self.weibull_shape == 1.0:
            return {"law": "exponential", "per_s": rate / YEAR_S}
        shape, age = self.weibull_shape, self.age_years
        scale = (((age + years) ** shape - age**shape) / (rate * years)) ** (1 / shape)
        return {"law": "weibull", "shape": shape, "scale_s": scale * YEAR_S, "age_s": age * YEAR_S}

    def errors(self) -> dict[str, Any]:
        """``ErrorPlan`` of the engine."""
        return {
            "latent_per_s": self.inputs.latent.value / YEAR_S,
            "scrub_s": self.scrub_days * DAY_S if self.scrub_days else None,
            "unrecoverable_per_byte": BITS * self.inputs.uber.value,
            "lost_bytes": self.lost_sector,
        }


def drive_risk(drive: Mapping[str, Any], book: Book) -> DriveRisk:
    """The risk of a drive as a plan names it (``names.devices``).

    Raises ``InputError`` where its annual failure rate is 0, or the book lacks a figure.
    """
    model, kind = str(drive["model"]), str(drive["kind"])
    names = [model, *([drive["based_on"]] if drive.get("based_on") else [])]
    rated = drive.get("reliability") or {}
    of_class = rated.get("class") or ("hdd-enterprise" if kind == "hdd" else "ssd-client")
    inputs = DriveInputs(
        model=model,
        kind=kind,
        of_class=of_class,
        afr=_afr(names, kind, rated, book),
        rated_afr=_rated(rated),
        uber=_uber(names, of_class, rated, book),
        latent=_of_book(book, "durability.latent", [*names, of_class]),
    )
    shape = _of_book(book, "durability.weibull_shape", [*names, kind]).value
    return DriveRisk(
        inputs,
        shape,
        book.number("durability.age") if shape != 1.0 else 0.0,
        book.number("durability.scrub_days"),
        book.number("durability.lost_sector"),
    )


def _afr(names: list[str], kind: str, rated: Mapping[str, float], book: Book) -> InputFigure:
    own = _rated(rated)
    if own is not None and book.word("durability.afr") == "rated":
        return InputFigure(value=own, basis="rated", source="the drive's data sheet", key=None)
    figure = _of_book(book, "failures.afr", [*names, kind], basis="field")
    if figure.value <= 0:
        message = f"{figure.key} is 0, and drives that never fail lose no data"
        hint = f"`assume={figure.key}=0.0157` sets an annual failure rate"
        raise InputError("out-of-range", f"{book.name}: {figure.key}", message, hint=hint)
    return figure


def _rated(rated: Mapping[str, float]) -> float | None:
    """The rated annual failure rate as a share."""
    if "afr" in rated:
        return float(rated["afr"])
    return HOURS_A_YEAR / rated["mtbf_hours"] if "mtbf_hours" in rated else None


def _uber(names: list[str], of_class: str, rated: Mapping[str, Any], book: Book) -> InputFigure:
    prefix = "durability.uber"
    if "uber" in rated and not any(f"{prefix}.{name}" in book.figures for name in names):
        source = str(rated.get("uber_source") or "the drive's file")
        return InputFigure(value=rated["uber"], basis="rated", source=source, key=None)
    return _of_book(book, prefix, [*names, of_class])


def _of_book(book: Book, prefix: str, names: list[str], basis: str | None = None) -> InputFigure:
    figure: BookFigure = book.figure(*(f"{prefix}.{name}" for name in names))
    return InputFigure(
        value=book.number(figure.key), basis=basis or figure.quality, source=figure.source, key=figure.key
    )

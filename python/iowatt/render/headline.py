"""A figure that a reader wants first: a tile of a page, or a row of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.render import numbers


@dataclass(frozen=True)
class Headline:
    """One headline figure: its value in ``unit``, and a second line that explains it.

    ``said`` is shown in place of the value: digits that a rule prescribes, a length of time, a refusal.
    """

    key: str
    title: str
    value: float | None
    unit: str
    remark: str = ""
    said: str | None = None

    @property
    def shown(self) -> str:
        """The value with its unit, scaled to read well."""
        if self.said is not None:
            return self.said
        return numbers.with_unit(self.value, self.unit)

    @property
    def parts(self) -> tuple[str, str]:
        """The number and the unit apart, for setting them in different sizes."""
        number, _, unit = self.shown.partition("\u00a0")
        return number, unit

"""Formats of cells: what is given is blue on yellow, what is computed black, what is stated on grey."""

from __future__ import annotations

from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

USD: Final = "#,##0.00;-#,##0.00;0.00"
PLAIN: Final = "#,##0.00####"
TIMES: Final = "#,##0.0"
_GIVEN: Final = {"font_color": "#0000c0", "bg_color": "#fff8d6"}
_STATED: Final = {"bg_color": "#ececec"}


def printed(sheet: Worksheet) -> None:
    """On paper as wide as the sheet is."""
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


class Styles:
    """The formats of one workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def _of(self, **keys: Any) -> Format:
        key = tuple(sorted(keys.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format({"valign": "top", **keys})
        return self._made[key]

    @property
    def title(self) -> Format:
        """A heading of a sheet."""
        return self._of(bold=True, font_size=13)

    @property
    def head(self) -> Format:
        """A heading of a column."""
        return self._of(bold=True, bottom=1, text_wrap=True)

    @property
    def head_number(self) -> Format:
        """A heading of a column of numbers."""
        return self._of(bold=True, bottom=1, text_wrap=True, align="right")

    @property
    def text(self) -> Format:
        """Words in one line."""
        return self._of()

    @property
    def beside(self) -> Format:
        """Words right of a number."""
        return self._of(indent=1, align="left")

    @property
    def wrapped(self) -> Format:
        """A paragraph."""
        return self._of(text_wrap=True)

    @property
    def given_word(self) -> Format:
        """A word that may be changed."""
        return self._of(**_GIVEN)

    def given(self, shown: str = "General") -> Format:
        """A number that may be changed."""
        return self._of(num_format=shown, **_GIVEN)

    def stated(self, shown: str = PLAIN) -> Format:
        """A number that follows nothing."""
        return self._of(num_format=shown, **_STATED)

    def computed(self, shown: str = PLAIN, *, bold: bool = False) -> Format:
        """What a formula comes to."""
        return self._of(num_format=shown, **({"bold": True, "top": 1} if bold else {}))

"""The figures in a sentence: what tests compare of a text whose wording is free."""

from __future__ import annotations

import re


def figures(text: str) -> list[float]:
    """All numbers of a text, in their order: ``[2, 4.5]`` of ``2 of them, 4.5 s apart``."""
    return [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])", text)]

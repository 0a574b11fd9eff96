"""Billed demand that earlier peaks hold up: ratchets and look-back."""

from __future__ import annotations

from typing import Final

from iowatt.tariffs.structure import Ratchet

_RATCHET_MONTHS: Final = 11


class Peaks:
    """The peaks of the months so far, and the least demand that they make a month pay for."""

    def __init__(self, ratchet: Ratchet) -> None:
        self._ratchet = ratchet
        #: Month of the year and peak in kW, in order.
        self._past: list[tuple[int, float]] = []

    def least_kw(self, month: int) -> float:
        """What is billed at least in this month of the year (0 to 11): a share of an earlier month's peak."""
        share = self._ratchet.shares[month]
        recent = [kw for _, kw in self._past[-_RATCHET_MONTHS:]]
        looked_at = self._past[-self._ratchet.lookback_months :] if self._ratchet.lookback_months else []
        flags = self._ratchet.lookback_flags
        if flags is not None:
            looked_at = [one for one in self._past[-_RATCHET_MONTHS:] if flags[one[0]]]
        back = [kw for _, kw in looked_at]
        return max(share * max(recent, default=0.0), self._ratchet.lookback_share * max(back, default=0.0))

    def add(self, month: int, peak_kw: float) -> None:
        """Remember a month's peak."""
        self._past.append((month, peak_kw))

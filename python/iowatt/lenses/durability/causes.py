"""What losses come from: parts of their probability and of the expected bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.lenses.durability.drives import YEAR_S
from iowatt.lenses.durability.engine import RiskyGroup
from iowatt.lenses.durability.result import CacheDurability, GroupDurability, LossCause

_Part = tuple[str, str, float, float]
"""Group, cause, probability over the horizon, bytes a year."""


def causes(
    risky: Sequence[RiskyGroup],
    groups: Sequence[GroupDurability],
    found: Sequence[Mapping[str, Any]],
    caches: Sequence[CacheDurability],
) -> list[LossCause]:
    """Parts of the probability of loss, the greatest first."""
    parts: list[_Part] = []
    for one, group, answer in zip(risky, groups, found, strict=True):
        parts += _of_group(one, group, answer)
    parts += [
        (one.name, "cache", one.loss_over_horizon, one.dirty_bytes * one.failures_per_year)
        for one in caches
        if one.loss_over_horizon > 0
    ]
    whole = sum(loss for _, _, loss, _ in parts)
    return [
        LossCause(
            group=group, cause=cause, loss_over_horizon=loss, share=loss / whole, bytes_lost_per_year=lost
        )
        for group, cause, loss, lost in sorted(parts, key=lambda part: -part[2])
        if whole > 0
    ]


def _of_group(one: RiskyGroup, group: GroupDurability, answer: Mapping[str, Any]) -> list[_Part]:
    """Parts of one kind of groups.

    An unreadable sector loses what the book says of it, which is little; the rest of the bytes are those of
    lost drives and domains.
    """
    loss, shares = group.loss_over_horizon.value, answer["causes"]
    mttdl_s = answer["mttdl_s"]
    sectors = group.count * YEAR_S / mttdl_s * shares["errors"] * one.risk.lost_sector if mttdl_s else 0.0
    whole = {"drives": shares["drives"]}
    for domain, share in zip(one.group.domains, shares["domains"], strict=True):
        whole[f"{domain.kind}s"] = share
    of_whole = sum(whole.values())
    by_sectors = min(sectors, group.bytes_lost_per_year) if of_whole else group.bytes_lost_per_year
    parts = [(group.name, "errors", loss * shares["errors"], by_sectors)] if shares["errors"] > 0 else []
    rest = group.bytes_lost_per_year - (by_sectors if parts else 0.0)
    parts += [
        (group.name, cause, loss * share, rest * share / of_whole)
        for cause, share in whole.items()
        if share > 0
    ]
    return parts

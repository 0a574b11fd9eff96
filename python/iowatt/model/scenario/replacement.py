"""Parameters of the replacement policies of a cache; what is left out is as in the policy's paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.quantity import Share
from iowatt.base.strict import Strict, key
from iowatt.model.scenario import cache_policies


class Replacement(Strict):
    """How a replacement policy departs from its paper; each key belongs to one policy."""

    bits: int | None = key(
        "clock: bits in which uses of a line are counted.", unset="1", example=2, within=(1, 8)
    )
    in_share: Share | None = key(
        "2q: share of the lines that what entered lately keeps (Kin).",
        unset="0.25",
        example=0.25,
    )
    out_share: float | None = key(
        "2q: lines that went and are remembered, as a share of the lines (Kout).",
        unset="0.5",
        example=0.5,
        within=(0, 100),
    )
    window_share: Share | None = key(
        "w-tinylfu: share of the lines in the window.", unset="0.01", example=0.01
    )
    protected_share: Share | None = key(
        "w-tinylfu: share of the other lines that may be protected.", unset="0.8", example=0.8
    )
    sample: float | None = key(
        "w-tinylfu: references for each line after which counts are halved.",
        unset="10",
        example=10.0,
        within=(0, 1e6),
    )
    small_share: Share | None = key(
        "s3-fifo: share of the lines in the small queue.", unset="0.1", example=0.1
    )
    ghost_share: float | None = key(
        "s3-fifo: lines that went and are remembered, as a share of the lines.",
        unset="0.9",
        example=0.9,
        within=(0, 100),
    )
    threshold: int | None = key(
        "s3-fifo: uses that take a line from the small queue into the main one.",
        unset="2",
        example=2,
        within=(1, 3),
    )

    @property
    def given(self) -> dict[str, float]:
        """The keys that were given."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


def problems(name: str, parameters: Replacement | None, path: KeyPath) -> Iterator[Problem]:
    """Parameters that the policy does not have."""
    for parameter in {} if parameters is None else parameters.given:
        if not cache_policies.applicable(name, parameter):
            owner = next(policy for policy, known in cache_policies.PARAMETERS.items() if parameter in known)
            yield Problem(
                "not-applicable",
                (*path, parameter),
                f"{name} has no such parameter",
                f"it belongs to {owner}",
            )


def plan(name: str, parameters: Replacement | None) -> str | dict[str, Any]:
    """The name alone, or ``ReplacementPlan`` of iowatt-cache where parameters are given."""
    given = {} if parameters is None else parameters.given
    return {"policy": name, **given} if given else name


def shown(replacement: str | dict[str, Any]) -> str:
    """What a plan says, as a person reads it."""
    if isinstance(replacement, str):
        return cache_policies.TITLES[replacement]
    given = {key: value for key, value in replacement.items() if key != "policy"}
    return cache_policies.policy(replacement["policy"], given).title

"""What one change would do: more or less parity, a faster rebuild, more scrubbing, another spare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from iowatt.lenses.durability.engine import Precision, RiskyGroup, assess
from iowatt.lenses.durability.groups import DataGroup
from iowatt.lenses.durability.result import DurabilityChange

if TYPE_CHECKING:
    from iowatt.lenses.book import Book

GB: Final = 1e9
AS_IT_IS: Final = "as it is"
WEEK_DAYS: Final = 7.0
#: Schemes by the lost drives that they survive.
_NAMED: Final = {0: "RAID-0", 1: "RAID-5", 2: "RAID-6", 3: "triple parity"}


@dataclass(frozen=True)
class _Changed:
    """The groups with one thing changed, in words."""

    change: str
    groups: list[RiskyGroup]
    survives_more: int = 0


def changes(risky: Sequence[RiskyGroup], book: Book, years: float) -> list[DurabilityChange]:
    """The system as it is and with one thing changed, all by the Markov engine, which takes milliseconds."""
    precision = Precision(method="markov")
    found: list[DurabilityChange] = []
    for one in (_Changed(AS_IT_IS, list(risky)), *_changed(risky)):
        total = assess([group.brief_plan(book, years) for group in one.groups], years, precision)["total"]
        loss = float(total["loss"]["mean"])
        now = found[0].loss_over_horizon if found else loss
        found.append(
            DurabilityChange(
                change=one.change,
                survives_more=one.survives_more,
                loss_per_year=total["loss_first_year"]["mean"],
                loss_over_horizon=loss,
                bytes_lost_per_year=total["bytes_lost"]["mean"] / years,
                user_gb=total["user_bytes"] / GB,
                better=now / loss if loss > 0 else None,
            )
        )
    return found


def _changed(risky: Sequence[RiskyGroup]) -> Iterator[_Changed]:
    for more in (1, -1):
        groups = [one.group.with_parity(more) for one in risky]
        if any(groups):
            changed = [
                replace(one, group=group or one.group) for one, group in zip(risky, groups, strict=True)
            ]
            yield _Changed(_scheme(groups, more), changed, more)
    redundant = any(one.group.survives for one in risky)
    if redundant:
        faster = [
            replace(one, rebuild=one.rebuild.model_copy(update={"seconds": one.rebuild.seconds / 2}))
            for one in risky
        ]
        yield _Changed("rebuilds in half the time", faster)
    days = min(one.risk.scrub_days for one in risky)
    if redundant and (days > WEEK_DAYS or not days):
        weekly = [replace(one, risk=replace(one.risk, scrub_days=WEEK_DAYS)) for one in risky]
        yield _Changed("a scrub every week", weekly)
    if redundant:
        spare = [replace(one, group=replace(one.group, spares=one.group.spares + 1)) for one in risky]
        yield _Changed("one more spare", spare)


def _scheme(groups: Sequence[DataGroup | None], more: int) -> str:
    """What a parity more or less makes of a system, by its usual name where there is one."""
    schemes = {group.survives for group in groups if group is not None}
    plain = all(
        group is None or (group.code["code"] == "any" and group.title.startswith("RAID")) for group in groups
    )
    named = _NAMED.get(schemes.pop()) if plain and len(schemes) == 1 else None
    return named or ("one more parity" if more > 0 else "one parity less")

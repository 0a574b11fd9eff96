"""Each piece of the work that was left, with what it saves, what it delays and when it pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.studies.beyond2002 import systems
from iowatt.studies.beyond2002.points import SleepPoint
from iowatt.studies.beyond2002.published import PRINTED, TEXT
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.stages import StudyPoints

PAYS: Final = 0.05
"""A saving from which on stopping drives is worth its waits."""

NEAR: Final = 0.9
"""A prediction that saves this share of what the competitive policy saves gives little away."""

Points = StudyPoints[SleepPoint]


def verdicts(points: Points) -> list[ClaimVerdict]:
    """All that the points allow."""
    return [*_loads(points), *_drives(points), *_policies(points)]


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"


def pays_from(points: Points, work: str, drive: str) -> SleepPoint | None:
    """The highest rate of a load at which perfect knowledge saves enough; None where none does."""
    known = sorted(points.of("load", work=work, drive=drive), key=lambda one: -one.share)
    return next((one for one in known if one.saves["oracle"] >= PAYS), None)


def _from(point: SleepPoint | None) -> str:
    if point is None:
        return "at no rate tried"
    return f"from {point.iops:.3g} requests/s down (a mean idle period of {point.idle_s or 0:.0f} s)"


def _loads(points: Points) -> Iterator[ClaimVerdict]:
    for load in systems.LOADS:
        for drive, name in systems.DRIVES.items():
            for full in points.of("load", work=load.key, drive=drive, share=1.0):
                saves = full.saves["oracle"]
                yield TEXT.judge(
                    "under-load" if drive == "server" else "laptop-under-load",
                    f"{load.title}, {name}",
                    published=PRINTED.most if drive == "server" else PRINTED.laptop,
                    ours=f"{percent(saves)} at {full.iops:.3g} requests/s; pays "
                    + _from(pays_from(points, load.key, drive)),
                    agrees=100 * saves < PRINTED.below,
                    idle=full.idle_s or 0.0,
                    break_even=full.break_even_s or 0.0,
                )


def _drives(points: Points) -> Iterator[ClaimVerdict]:
    for work, title in systems.TITLES.items():
        kind = "policy" if work in systems.TIMED else "load"
        both = [
            points.of(kind, work=work, drive=drive, policy="never", share=1.0) for drive in systems.DRIVES
        ]
        for server, laptop in zip(*both, strict=False):
            saved, slower = 1 - laptop.power_w / server.power_w, laptop.mean_ms / server.mean_ms
            yield TEXT.judge(
                "laptop-drives",
                title,
                ours=f"{percent(saved)} less power, {slower:.2g} times the response time; perfect stops of "
                f"the server drives save {percent(server.saves['oracle'])}",
                agrees=saved > server.saves["oracle"],
            )


def _policies(points: Points) -> Iterator[ClaimVerdict]:
    for work, title in systems.TIMED.items():
        for drive, name in systems.DRIVES.items():
            by = {one.policy: one for one in points.of("policy", work=work, drive=drive)}
            if not set(systems.POLICIES) <= by.keys():
                continue
            base_w, case = by["never"].power_w, f"{title}, {name}"
            saved = {policy: 1 - one.power_w / base_w for policy, one in by.items()}
            yield _batching(case, by, saved)
            for policy in ("arima", "law-driven"):
                yield _prediction(case, policy, by, saved)


def _said(one: SleepPoint, saved: float) -> str:
    return f"{percent(saved)}, mean response {one.mean_ms:,.0f} ms, {one.starts:.3g} starts a day"


def _batching(case: str, by: dict[str, SleepPoint], saved: dict[str, float]) -> ClaimVerdict:
    held, alone = by["batching"], by["two-competitive"]
    return TEXT.judge(
        "batching",
        case,
        published=PRINTED.batching,
        ours=f"{_said(held, saved['batching'])}; without: {_said(alone, saved['two-competitive'])}",
        agrees=saved["batching"] > saved["two-competitive"] and held.starts < alone.starts,
        more=percent(saved["batching"] - saved["two-competitive"]),
    )


def _prediction(case: str, policy: str, by: dict[str, SleepPoint], saved: dict[str, float]) -> ClaimVerdict:
    one, alone = by[policy], by["two-competitive"]
    return TEXT.judge(
        "prediction",
        f"{case}, {systems.NAMES[policy]}",
        published=PRINTED.prediction,
        ours=f"{_said(one, saved[policy])}, {percent(one.waited)} over 1 s; 2-competitive: "
        f"{_said(alone, saved['two-competitive'])}, {percent(alone.waited)} over 1 s; oracle "
        f"{percent(saved['oracle'])}",
        agrees=saved[policy] >= NEAR * saved["two-competitive"] and one.waited < alone.waited,
        share=percent(saved[policy] / saved["two-competitive"]) if saved["two-competitive"] > 0 else "-",
        fewer=percent(1 - one.waited / alone.waited) if alone.waited else "-",
    )

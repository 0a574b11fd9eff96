"""The claims of the source, from the points alone: agree or differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from iowatt.render import numbers
from iowatt.studies.latency2015 import published
from iowatt.studies.latency2015.base import Base
from iowatt.studies.latency2015.points import LatencyPoints
from iowatt.studies.latency2015.published import BY_KEY, PRINTED, REFERENCE, TEXT, Member
from iowatt.studies.result import ClaimVerdict

#: Published shares of a histogram agree within so many of all writes.
SHARE_TOLERANCE: Final = 0.05
#: "Low tens of microseconds".
SWITCH_US: Final = 10.0
BEST: Final = "best-62"


def all_of(points: LatencyPoints, base: Base, own: Base) -> list[ClaimVerdict]:
    """Every verdict; ``own`` is the mixture for the points of a StoreServ 10400."""
    of_member: tuple[Callable[[LatencyPoints, Member], list[ClaimVerdict]], ...] = (
        latency, bandwidth, spikes, checkpoint, best, below,
    )  # fmt: skip
    found = [one for judged in of_member for member in points.members for one in judged(points, member)]
    return [*found, *installed(base), storeserv(base, own), switch(points)]


def latency(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """0.5 ms before, 0.25 ms after."""
    found = []
    for express, when, wanted in (
        (False, "before", PRINTED.before_ms),
        (True, "after", PRINTED.after_ms),
    ):
        point = points.one("steady", member=member.key, express=express)
        error = point.write_ms / wanted - 1
        found.append(
            TEXT.judge(
                f"mean-{when}",
                f"{member.title}; calibrated",
                ours=f"{_ms(point.write_ms)} ({error:+.1%})",
                agrees=abs(error) <= published.LATENCY_TOLERANCE,
                wanted_ms=wanted,
                busy=_percent(point.busy),
            )
        )
    return found


def bandwidth(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """Read and write bandwidth do not change: users think far longer than they wait."""
    before, after = points.pair("steady", member.key)
    found = []
    for what, low, high in (
        ("read", before.read_mib_s, after.read_mib_s),
        ("write", before.write_mib_s, after.write_mib_s),
    ):
        change = high / low - 1
        found.append(
            TEXT.judge(
                f"{what}-bandwidth",
                member.title,
                ours=f"{numbers.significant(low)} and {numbers.significant(high)} MiB/s ({change:+.2%})",
                agrees=abs(change) <= published.BANDWIDTH_TOLERANCE,
                before=_ms(before.host_write_ms),
                after=_ms(after.host_write_ms),
            )
        )
    return found


def spikes(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """No mean over a second above 1 ms after, under the steady load."""
    before, after = points.pair("steady", member.key)
    verdict = TEXT.judge(
        "spikes",
        f"{member.title}; steady load",
        ours=f"highest {_ms(after.highest_second_ms)} (before {_ms(before.highest_second_ms)})",
        agrees=after.highest_second_ms <= PRINTED.spike_ms,
        busy=_percent(after.busy),
    )
    return [verdict]


def checkpoint(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """A checkpoint's writes on top: seconds above 1 ms before, and none after."""
    before, after = points.pair("checkpoint", member.key)
    over, under = (
        before.highest_second_ms > PRINTED.spike_ms,
        after.highest_second_ms <= PRINTED.spike_ms,
    )
    cause = TEXT.causes["checkpoint-absorbed" if under else "checkpoint-too-much"]
    verdict = TEXT.judge(
        "checkpoint",
        f"{member.title}; a checkpoint on top of the load",
        ours=f"highest second {_ms(before.highest_second_ms)} before, {_ms(after.highest_second_ms)} after",
        agrees=over and under,
        cause=cause,
        visit_us=member.visit_us,
        read_us=member.read_us,
        busy=_percent(points.one("steady", member=member.key, express=True).busy),
    )
    return [verdict]


def best(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """A write alone in the array, after, against the published best case."""
    ours = points.one("alone", member=member.key, express=True).write_ms
    error = ours / PRINTED.best_case_ms - 1
    known = points.of("alone", member=BEST, express=True)
    shown = (
        f"the member solved for it has {_ms(known[0].write_ms)} and both means" if known else "not run here"
    )
    verdict = TEXT.judge(
        "best-case",
        f"{member.title}; one user" + ("; calibrated" if member.best_us else ""),
        ours=f"{_ms(ours)} ({error:+.0%})",
        agrees=abs(error) <= published.LATENCY_TOLERANCE,
        published=_ms(PRINTED.best_case_ms),
        experiment=shown,
    )
    return [verdict]


def below(points: LatencyPoints, member: Member) -> list[ClaimVerdict]:
    """The earlier post's bound."""
    ours = points.one("alone", member=member.key, express=True).write_ms
    verdict = TEXT.judge(
        "below-200",
        f"{member.title}; one user",
        ours=_ms(ours),
        agrees=ours < PRINTED.below_ms,
        limit=_ms(PRINTED.below_ms),
        visit_us=member.visit_us,
    )
    return [verdict]


def installed(base: Base) -> list[ClaimVerdict]:
    """The installed base's histogram, by a mixture of its own."""
    wanted = PRINTED.installed_base
    found = []
    for when, share, histogram in (
        ("before", wanted.before, base.before),
        ("after", wanted.after, base.after),
    ):
        ours = histogram.share_within(wanted.within_ms)
        found.append(
            TEXT.judge(
                f"installed-{when}",
                "a mixture of arrays and loads of its own; its law is set by these two shares",
                ours=_percent(ours),
                agrees=abs(ours - share) <= SHARE_TOLERANCE,
                share=_percent(share),
                within_ms=wanted.within_ms,
                least_us=base.visits_us[0],
                most_us=base.visits_us[-1],
            )
        )
    return found


def storeserv(base: Base, own: Base) -> ClaimVerdict:
    """One array's points, which the mixture does not know; ``own`` is a mixture made for them."""
    wanted = PRINTED.storeserv_10400
    before, after = (one.share_within(wanted.within_ms) for one in (base.before, base.after))
    near = max(abs(before - wanted.before), abs(after - wanted.after))
    law = own.law
    return TEXT.judge(
        "storeserv-10400",
        "the mixture for the installed base; predicted",
        ours=f"{_percent(before)} and {_percent(after)}",
        agrees=near <= SHARE_TOLERANCE,
        experiment="no lognormal law has both of its shares"
        if law is None
        else f"a law with its two shares is narrower: median {law.median_us:.0f} us, sigma {law.sigma:.2f}"
        + (f" in place of {base.law.sigma:.2f}" if base.law else ""),
        before=_percent(wanted.before),
        within_ms=wanted.within_ms,
        after=_percent(wanted.after),
    )


def switch(points: LatencyPoints) -> ClaimVerdict:
    """What the switch adds."""
    key = REFERENCE if REFERENCE in {member.key for member in points.members} else points.members[0].key
    point = points.one("steady", member=key, express=False)
    ours = sum(hop.us for hop in point.write_hops if "switch" in hop.name)
    return TEXT.judge(
        "switch",
        f"{BY_KEY[key].title}; a write's two round trips",
        ours=f"{ours:.1f} us",
        agrees=ours >= SWITCH_US,
        switch_us=SWITCH_US,
    )


def _ms(value: float) -> str:
    return f"{1e3 * value:.0f} us" if value < 0.1 else f"{numbers.significant(value)} ms"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"

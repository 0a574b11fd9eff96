"""The claims of the source, from the points alone: agree or differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from iowatt.render import numbers
from iowatt.studies.latency2015 import published
from iowatt.studies.latency2015.base import Base
from iowatt.studies.latency2015.members import BY_KEY, REFERENCE, Member
from iowatt.studies.latency2015.points import LatencyPoints
from iowatt.studies.result import Verdict, judge

#: Published shares of a histogram agree within so many of all writes.
SHARE_TOLERANCE: Final = 0.05
#: "Low tens of microseconds".
SWITCH_US: Final = 10.0
BEST: Final = "best-62"


def all_of(points: LatencyPoints, base: Base, own: Base) -> list[Verdict]:
    """Every verdict; ``own`` is the mixture for the points of a StoreServ 10400."""
    of_member: tuple[Callable[[LatencyPoints, Member], list[Verdict]], ...] = (
        latency, bandwidth, spikes, checkpoint, best, below,
    )  # fmt: skip
    found = [one for judged in of_member for member in points.members for one in judged(points, member)]
    return [*found, *installed(base), storeserv(base, own), switch(points)]


def latency(points: LatencyPoints, member: Member) -> list[Verdict]:
    """0.5 ms before, 0.25 ms after."""
    found = []
    for express, when, wanted in (
        (False, "before", published.BEFORE_MS),
        (True, "after", published.AFTER_MS),
    ):
        ours = points.one("steady", member=member.key, express=express).write_ms
        error = ours / wanted - 1
        found.append(
            judge(
                f"mean-{when}",
                f"Writes take {wanted:g} ms in the mean {when}, at the array",
                f"{member.title}; calibrated",
                published=f"{wanted:g} ms",
                ours=f"{_ms(ours)} ({error:+.1%})",
                agrees=abs(error) <= published.LATENCY_TOLERANCE,
                cause="the member was solved on runs of another length and seed, and its processors are "
                "so busy that small differences of the load matter",
                experiment="utilisation "
                f"{_percent(points.one('steady', member=member.key, express=express).busy)}",
            )
        )
    return found


def bandwidth(points: LatencyPoints, member: Member) -> list[Verdict]:
    """Read and write bandwidth do not change: users think far longer than they wait."""
    before, after = points.pair("steady", member.key)
    found = []
    for what, low, high in (
        ("read", before.read_mib_s, after.read_mib_s),
        ("write", before.write_mib_s, after.write_mib_s),
    ):
        change = high / low - 1
        found.append(
            judge(
                f"{what}-bandwidth",
                f"{what.capitalize()} bandwidth is the same before and after",
                member.title,
                published="unchanged",
                ours=f"{numbers.significant(low)} and {numbers.significant(high)} MiB/s ({change:+.2%})",
                agrees=abs(change) <= published.BANDWIDTH_TOLERANCE,
                cause="users who wait less ask for more",
                experiment=f"response at the host {_ms(before.host_write_ms)} and {_ms(after.host_write_ms)}",
            )
        )
    return found


def spikes(points: LatencyPoints, member: Member) -> list[Verdict]:
    """No mean over a second above 1 ms after, under the steady load."""
    before, after = points.pair("steady", member.key)
    verdict = judge(
        "spikes",
        "After, no mean over a second is above 1 ms",
        f"{member.title}; steady load",
        published="never over 1 ms",
        ours=f"highest {_ms(after.highest_second_ms)} (before {_ms(before.highest_second_ms)})",
        agrees=after.highest_second_ms <= published.SPIKE_MS,
        cause="its processors are almost full",
        experiment=f"utilisation {_percent(after.busy)}",
    )
    return [verdict]


def checkpoint(points: LatencyPoints, member: Member) -> list[Verdict]:
    """A checkpoint's writes on top: seconds above 1 ms before, and none after."""
    before, after = points.pair("checkpoint", member.key)
    over, under = before.highest_second_ms > published.SPIKE_MS, after.highest_second_ms <= published.SPIKE_MS
    cause = (
        "its processors take these writes without filling up: it is mostly reads that they work on, or there "
        "are two of them"
        if under
        else "so many more writes are more than its processors take, even with one visit each"
    )
    verdict = judge(
        "checkpoint",
        "Writes spike above 1 ms before, and no longer after",
        f"{member.title}; a checkpoint on top of the load",
        published="spikes before, never over 1 ms after",
        ours=f"highest second {_ms(before.highest_second_ms)} before, {_ms(after.highest_second_ms)} after",
        agrees=over and under,
        cause=cause,
        experiment=f"a visit of {member.visit_us:g} us, a read of {member.read_us:g} us, processors "
        f"{_percent(points.one('steady', member=member.key, express=True).busy)} busy after, without the "
        "checkpoint",
    )
    return [verdict]


def best(points: LatencyPoints, member: Member) -> list[Verdict]:
    """A write alone in the array, after, against the published best case."""
    ours = points.one("alone", member=member.key, express=True).write_ms
    error = ours / published.BEST_CASE_MS - 1
    known = points.of("alone", member=BEST, express=True)
    shown = (
        f"the member solved for it has {_ms(known[0].write_ms)} and both means" if known else "not run here"
    )
    verdict = judge(
        "best-case",
        "Writes take 62 us at best with Express Writes",
        f"{member.title}; one user" + ("; calibrated" if member.best_us else ""),
        published=_ms(published.BEST_CASE_MS),
        ours=f"{_ms(ours)} ({error:+.0%})",
        agrees=abs(error) <= published.LATENCY_TOLERANCE,
        cause="of an array that takes this long for a visit no 62 us can be had: either the best case is "
        "of another array, or this member is not what was measured",
        experiment=shown,
    )
    return [verdict]


def below(points: LatencyPoints, member: Member) -> list[Verdict]:
    """The earlier post's bound."""
    ours = points.one("alone", member=member.key, express=True).write_ms
    verdict = judge(
        "below-200",
        "Express Writes bring writes below 200 us",
        f"{member.title}; one user",
        published=f"below {_ms(published.BELOW_MS)}",
        ours=_ms(ours),
        agrees=ours < published.BELOW_MS,
        cause="its visit and what is fixed take longer than that even where nobody waits",
        experiment=f"a visit of {member.visit_us:g} us; members with shorter ones are below",
    )
    return [verdict]


def installed(base: Base) -> list[Verdict]:
    """The installed base's histogram, by a mixture of its own."""
    wanted = published.INSTALLED_BASE
    found = []
    for when, share, histogram in (
        ("before", wanted.before, base.before),
        ("after", wanted.after, base.after),
    ):
        ours = histogram.share_within(wanted.within_ms)
        found.append(
            judge(
                f"installed-{when}",
                f"{_percent(share)} of the installed base's writes are within {wanted.within_ms:g} ms {when}",
                "a mixture of arrays and loads of its own; its law is set by these two shares",
                published=_percent(share),
                ours=_percent(ours),
                agrees=abs(ours - share) <= SHARE_TOLERANCE,
                cause="no lognormal law of visits has both shares with these loads",
                experiment=f"visits of {base.visits_us[0]:g} to {base.visits_us[-1]:g} us were run",
            )
        )
    return found


def storeserv(base: Base, own: Base) -> Verdict:
    """One array's points, which the mixture does not know; ``own`` is a mixture made for them."""
    wanted = published.STORESERV_10400
    before, after = (one.share_within(wanted.within_ms) for one in (base.before, base.after))
    near = max(abs(before - wanted.before), abs(after - wanted.after))
    law = own.law
    return judge(
        "storeserv-10400",
        f"A StoreServ 10400 has {_percent(wanted.before)} of its writes within {wanted.within_ms:g} ms "
        f"before, and about {_percent(wanted.after)} after",
        "the mixture for the installed base; predicted",
        published=f"{_percent(wanted.before)} and about {_percent(wanted.after)}",
        ours=f"{_percent(before)} and {_percent(after)}",
        agrees=near <= SHARE_TOLERANCE,
        cause="it is one array and no mixture: its visits are more alike than those of a base, so that "
        "more of its writes pass the limit together",
        experiment="no lognormal law has both of its shares"
        if law is None
        else f"a law with its two shares is narrower: median {law.median_us:.0f} us, sigma {law.sigma:.2f}"
        + (f" in place of {base.law.sigma:.2f}" if base.law else ""),
    )


def switch(points: LatencyPoints) -> Verdict:
    """What the switch adds."""
    key = REFERENCE if REFERENCE in {member.key for member in points.members} else points.members[0].key
    point = points.one("steady", member=key, express=False)
    ours = sum(hop.us for hop in point.write_hops if "switch" in hop.name)
    return judge(
        "switch",
        "A switch adds latency in the low tens of microseconds",
        f"{BY_KEY[key].title}; a write's two round trips",
        published=f"{SWITCH_US:g} us and more",
        ours=f"{ours:.1f} us",
        agrees=ours >= SWITCH_US,
        cause="a port of a Gen 5 switch takes 0.7 us to about 2 us a pass, and a write with its two round "
        "trips makes four; tens of us are those of the whole fabric with its transfers, or of a crowded link",
        experiment="the hop by hop budget of this page",
    )


def _ms(value: float) -> str:
    return f"{1e3 * value:.0f} us" if value < 0.1 else f"{numbers.significant(value)} ms"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"

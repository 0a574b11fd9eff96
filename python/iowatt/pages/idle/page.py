"""What ``iowatt idle`` shows: what stopping the drives would save, and how long they are idle."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.idle.result import DrivePower, IdlePeriods, PolicyOutcome
from iowatt.pages.idle import figures
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

_MINUTE_S = 60.0


def document(idle: IdlePeriods) -> Document:
    """The document of idle periods."""
    saved, over_drives = figures.saved(idle), figures.all_disks(idle)
    return Document(
        key="idle",
        kind="idle periods",
        title=idle.run,
        meta=f"{numbers.count(idle.periods)} periods · {numbers.counted(len(idle.devices), 'drive')} · "
        f"{numbers.duration(idle.window_s)}",
        verdict=[*_policies(idle), _idle(idle)],
        chart=saved or over_drives,
        headlines=list(_headlines(idle)),
        sections=[
            Section(
                "policies",
                "Power policies",
                _drawn(figures.table(idle), figures.price(idle), figures.bound(idle)),
                [_power(drive) for drive in idle.drives] if idle.policies else [],
            ),
            Section(
                "lengths",
                "Lengths",
                _drawn(over_drives if saved else None, figures.two_disks(idle), figures.longer(idle)),
            ),
            Section("disks", "Every drive", _drawn(figures.disks(idle))),
            Section("laws", "Fitted laws", _drawn(figures.laws(idle)), folded=True),
            Section("succession", "Autocorrelation", _drawn(figures.autocorrelation(idle)), folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in idle.notes],
    )


def _drawn(*drawn: Figure | None) -> list[Figure]:
    return [figure for figure in drawn if figure is not None]


def _policies(idle: IdlePeriods) -> Iterator[str]:
    if not idle.policies or not idle.periods:
        return
    oracle, online = idle.policies[0], _best_online(idle)
    if oracle.saved_share <= 0:
        yield "Spinning down saves nothing: no idle period is long enough."
        return
    most = f"Spinning down saves at most {numbers.percent(oracle.saved_share)} of the energy of idling"
    if online is None or online.saved_share <= 0:
        yield f"{most}, with perfect foresight; no policy without foresight saves anything."
        return
    yield (
        f"{most}; without foresight, {online.title} saves {numbers.percent(online.saved_share)} with "
        f"{numbers.counted(online.start_stops, 'stop')}."
    )
    delay_s = online.added_delay_of_delayed_s
    if delay_s is not None:
        yield (
            f"It delays {numbers.percent(online.delayed_share)} of the arrivals that end an idle period, by "
            f"{numbers.duration(delay_s)} on average."
        )


def _best_online(idle: IdlePeriods) -> PolicyOutcome | None:
    """The policy without foresight that saves most."""
    return max(
        (row for row in idle.policies if not row.oracle), key=lambda row: row.saved_share, default=None
    )


def _idle(idle: IdlePeriods) -> str:
    if not idle.periods:
        return "The drives are never idle."
    minute = next(row for row in idle.longer if row.length_s == _MINUTE_S)
    if not minute.periods:
        longest = numbers.duration(max(drive.longest_s for drive in idle.devices))
        share = numbers.percent(idle.idle_share)
        return f"The drives are idle {share} of the time; the longest period is {longest}."
    return (
        f"The drives are idle {numbers.percent(idle.idle_share)} of the time; periods over a minute "
        f"({numbers.count(minute.periods)} of them) make up {numbers.percent(minute.share_of_idle_time)} of "
        "the idle time."
    )


def _power(drive: DrivePower) -> str:
    even = drive.break_even_s
    return (
        f"Policies use the power of {drive.name}: idle {drive.idle_w:g} W, standby {drive.standby_w:g} W, "
        f"stop {drive.spin_down_s:g} s and {drive.spin_down_j:.4g} J, start {drive.spin_up_s:g} s and "
        f"{drive.spin_up_j:.4g} J, "
        + ("stopping never pays." if even is None else f"break-even after {numbers.duration(even)}.")
    )


def _headlines(idle: IdlePeriods) -> Iterator[Headline]:
    minute = next(row for row in idle.longer if row.length_s == _MINUTE_S)
    yield Headline("idle", "Idle", 100 * idle.idle_share, "%", "of the time, mean over drives")
    yield Headline(
        "minute", "In periods over a minute", 100 * minute.share_of_time, "%",
        f"of the time; {numbers.count(minute.periods)} periods",
    )  # fmt: skip
    yield Headline(
        "mean", "Mean period", 1e3 * idle.idle_s / idle.periods if idle.periods else None, "ms",
        "over all drives, cut periods included",
    )  # fmt: skip
    if idle.autocorrelation.mean:
        sigma = idle.autocorrelation.sigma[0]
        yield Headline(
            "lag1", "Autocorrelation, lag 1", idle.autocorrelation.mean[0], "",
            f"standard deviation over drives {sigma:.3f}",
        )  # fmt: skip
    if idle.fits:
        best = idle.fits[0]
        yield Headline("law", "Distance of the best law", best.ks_distance, "KS", figures.LAWS[best.law])
    online = _best_online(idle)
    if idle.policies and online is not None:
        most = idle.policies[0]
        yield Headline(
            "oracle", "Most that can be saved", 100 * most.saved_share, "%", "of idling, oracle by energy"
        )
        yield Headline(
            "online", "Best without foresight", 100 * online.saved_share, "%",
            f"{online.title}; {numbers.counted(online.start_stops, 'stop')}",
        )  # fmt: skip

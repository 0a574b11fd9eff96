"""Everything about the idle periods of a Run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from iowatt.base.results import Note
from iowatt.lenses.idle import counts, power
from iowatt.lenses.idle.histogram import LengthHistogram
from iowatt.lenses.idle.laws import Sample, fits
from iowatt.lenses.idle.periods import NS_PER_S, Periods, ShortPeriods
from iowatt.lenses.idle.policies import OracleBound, Trial, idles_through, policies
from iowatt.lenses.idle.power import MissingFiguresError, TwoStates
from iowatt.lenses.idle.result import (
    DriveLengthCurve,
    IdlePeriods,
    LengthDistribution,
    OraclePoint,
    PolicyOutcome,
)

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Progress = Callable[[float | None, int], None]


def analyse(run: Run, device: str | None = None, progress: Progress | None = None) -> IdlePeriods:
    """Analyse the idle periods of a Run.

    Parameters
    ----------
    device:
        A drive of the library (or a device file) whose power figures the policies go by, in place of those of
        the Run's own drives.
    progress:
        Called after each batch with the fraction done and the periods so far.

    Raises
    ------
    InputError
        The Run has no table of idle periods, it is damaged, or ``device`` cannot be used.
    """
    periods = Periods(run)
    drives, why_not = _drives(run, device, len(periods.devices))
    sums = counts.count(periods)
    extremes = sums.fewest_and_most()
    # All periods, those of the two drives, and those known whole, which the laws are fitted to.
    every, whole, own = (
        LengthHistogram(),
        LengthHistogram(),
        {drive: LengthHistogram() for drive in extremes or ()},
    )
    products = counts.LagProducts(sums)
    short = periods.short
    evaluable = [one for one in policies() if idles_through(one, drives) * NS_PER_S >= short.longest_ns]
    trials = [Trial(policy, drives) for policy in evaluable] if drives else []
    bound = OracleBound(drives, short) if drives else None
    products.add_short(short)
    for trial in trials:
        trial.add_short(short)
    for histogram in (every, whole):
        histogram.add_counted(short.mean_ns, short.count)
    for drive, histogram in own.items():
        mine = short.drive == drive
        histogram.add_counted(short.mean_ns[mine], short.count[mine])
    done, total = 0, int(sums.periods.sum())
    for batch in periods.batches():
        products.add(batch)
        every.add(batch.length_ns)
        whole.add(batch.length_ns[~batch.cut])
        for drive, histogram in own.items():
            histogram.add(batch.length_ns[batch.drive == drive])
        for trial in trials:
            trial.add(batch)
        if bound is not None:
            bound.add(batch)
        done += len(batch.drive)
        if progress is not None:
            progress(done / (total - short.periods), done)
    total_j = None if device is not None else run.summary["energy"]["total_j"]
    accesses = sum(int(one["accesses"]) for one in run.summary["devices"])
    roles = dict(zip(("fewest", "most"), extremes, strict=True)) if extremes else {}
    curves = {
        role: DriveLengthCurve(name=periods.devices[drive], **dict(own[drive].curve()))
        for role, drive in roles.items()
    }
    evaluated = [trial.result(total_j, accesses) for trial in trials]
    return IdlePeriods(
        run=run.name,
        path=str(run.path) if run.path else None,
        window_s=periods.duration_s,
        periods=total,
        counted=short.periods,
        cut=int(sums.cut.sum()),
        idle_s=int(sums.idle_ns.sum()) / NS_PER_S,
        idle_share=_idle_share(periods, int(sums.idle_ns.sum())),
        longer=counts.longer(periods, sums),
        devices=counts.disks(periods, sums, products.variance_s2),
        autocorrelation=counts.described(products, periods.devices, extremes),
        distribution=LengthDistribution(all=every.curve(), **curves),
        fits=fits(Sample.of(whole), every.curve().length_s),
        drives=[one.described() for one in dict.fromkeys(drives)],
        policies=evaluated,
        oracle_bound=[] if bound is None else bound.points(total_j),
        notes=[
            *_counted(short, total, len(policies()) - len(evaluable) if drives else 0),
            *_notes(run, sums, device, why_not),
            *_waits(evaluated, drives),
        ],
    )


def oracle_bound(run: Run, transitions_s: Sequence[float]) -> list[OraclePoint]:
    """What both oracles would save if the slowest drive stopped and started again in ``transitions_s``.

    The other drives are quicker by the same factor. Descending times; those too short for periods that the
    Run only counts are left out. Raises ``InputError`` where the Run's plan lacks power figures.
    """
    drives = power.of_run(run)
    slowest_s = max(drive.transition_s for drive in drives)
    periods = Periods(run)
    bound = OracleBound(drives, periods.short, [seconds / slowest_s for seconds in transitions_s])
    for batch in periods.batches():
        bound.add(batch)
    return bound.points(float(run.summary["energy"]["total_j"]))


def _idle_share(periods: Periods, idle_ns: int) -> float:
    time_s = periods.duration_s * len(periods.devices)
    return idle_ns / NS_PER_S / time_s if time_s > 0 else 0.0


def _drives(run: Run, device: str | None, count: int) -> tuple[Sequence[TwoStates], Note | None]:
    """The power states of each drive; none, and why, where neither the Run nor ``device`` has figures."""
    if device is not None:
        return [power.named(device)] * count, None
    try:
        return power.of_run(run), None
    except MissingFiguresError as error:
        return [], Note(
            code="no-policies",
            text=f"No policies: {error.message}. `device` takes the name of a drive whose power "
            "figures are used instead (`iowatt devices list --needs spin-down`).",
            decides=True,
        )


def _notes(run: Run, sums: counts.DriveSums, device: str | None, why_not: Note | None) -> Iterator[Note]:
    if cut := int(sums.cut.sum()):
        yield Note(
            code="cut-by-window",
            text=f"{cut:,} periods are cut by the window. They count with their length within it, and are "
            "left out of means, variations, autocorrelations and fits.",
        )
    if why_not is not None:
        yield why_not
    models = {str(one["model"]) for one in run.summary["devices"]}
    for note in run.notes:
        about = next(
            (model for model in models if note.startswith((f"{model}:", f"{model} is a stand-in"))), None
        )
        if about and ("power" in note or "stand-in" in note) and device is None:
            yield Note(code="power-of-drive", text=note)
    if device is not None:
        yield Note(
            code="other-drive",
            text=f"The policies use the power figures of {device}, which is not the Run's own drive.",
        )
    if sum(int(one["spin_downs"]) for one in run.summary["devices"]):
        yield Note(
            code="drives-stopped",
            text="The Run's own drives spun down: its idle periods are those that this policy left, and its "
            "total energy is not that of drives that never stop.",
            decides=True,
        )


def _counted(short: ShortPeriods, total: int, left_out: int) -> Iterator[Note]:
    """What is not known where not every period was kept."""
    if short.periods == 0:
        return
    policies = f", {left_out} policies that learn from shorter ones" if left_out else ""
    yield Note(
        code="short-periods-counted",
        text=f"{short.periods:,} of {total:,} periods, all of at most {short.longest_ns / NS_PER_S:.3g} s, "
        "were only counted by length (16 bins to the octave). Laws are fitted to these bins. Left out: "
        f"autocorrelation{policies} and the oracle bound at faster transitions. observe.idle = true keeps "
        "every period.",
    )


def _waits(evaluated: Sequence[PolicyOutcome], drives: Sequence[TwoStates]) -> Iterator[Note]:
    """What the estimate leaves out where policies delay arrivals."""
    # What the drives would have drawn idling while arrivals waited, over what they drew idling in all.
    idle_w = sum(drive.idle_w for drive in drives) / max(len(drives), 1)
    more = [
        (100 * row.delayed * row.added_delay_of_delayed_s * idle_w / (row.energy_j + row.saved_j), row.title)
        for row in evaluated
        if row.added_delay_of_delayed_s is not None
    ]
    if not more:
        return
    points, most = max(more)
    yield Note(
        code="delays-lower-bound",
        text="Delays are those of arrivals that end a period. Requests that follow while a drive spins up "
        "wait, too, so the mean over all operations is a lower bound. Simulate a policy for the exact "
        "figure.",
    )
    yield Note(
        code="waits-in-place-of-idling",
        text="The wait of a delayed arrival is added to the periods, as where every arrival waits for the "
        "one before. Where arrivals keep their times (open replay), it replaces idling, and a policy that "
        f"delays saves more, by up to {points:.2g} points ({most}).",
    )

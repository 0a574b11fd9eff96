"""Everything about the idle periods of a Run, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.idle import autocorrelation, counts, power
from iowatt.lenses.idle.bound import Bound
from iowatt.lenses.idle.histogram import Histogram
from iowatt.lenses.idle.laws import fits
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import NS_PER_S, Periods, Short
from iowatt.lenses.idle.policies import Trial, idles_through, policies
from iowatt.lenses.idle.power import MissingFiguresError, TwoStates

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

SCHEMA: Final = "iowatt.idle/1"

Progress = Callable[[float | None, int], None]


def analyse(run: Run, device: str | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """Analyse the idle periods of a Run.

    Parameters
    ----------
    device:
        A drive of the library (or a device file) whose power figures the policies go by, in place of those of
        the Run's own drives.
    progress:
        Called after each batch with the fraction done and the periods so far.

    Returns
    -------
    dict
        Schema ``iowatt.idle/1``, see docs/reference/cli.md. Times in s, energy in J; shares from 0 to 1.

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
    every, whole, own = Histogram(), Histogram(), {drive: Histogram() for drive in extremes or ()}
    products = autocorrelation.Products(sums)
    short = periods.short
    told = [one for one in policies() if idles_through(one, drives) * NS_PER_S >= short.longest_ns]
    trials = [Trial(policy, drives) for policy in told] if drives else []
    bound = Bound(drives, short) if drives else None
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
    evaluated = [trial.result(total_j, accesses) for trial in trials]
    return {
        "schema": SCHEMA,
        "run": run.name,
        "path": str(run.path) if run.path else None,
        "window_s": periods.duration_s,
        "periods": total,
        "counted": short.periods,
        "cut": int(sums.cut.sum()),
        "idle_s": int(sums.idle_ns.sum()) / NS_PER_S,
        "idle_share": _idle_share(periods, int(sums.idle_ns.sum())),
        "longer": counts.longer(periods, sums),
        "devices": counts.disks(periods, sums, products.variance_s2),
        "autocorrelation": autocorrelation.described(products, periods.devices, extremes),
        "distribution": {
            "all": every.curve(),
            **{role: {"name": periods.devices[drive], **own[drive].curve()} for role, drive in roles.items()},
        },
        "fits": fits(Sample.of(whole), every.curve()["length_s"]),
        "drives": [one.described() for one in dict.fromkeys(drives)],
        "policies": evaluated,
        "oracle_bound": [] if bound is None else bound.points(total_j),
        "notes": [
            *_counted(short, total, len(policies()) - len(told) if drives else 0),
            *_notes(run, sums, device, why_not, _waits(evaluated, drives)),
        ],
    }


def _idle_share(periods: Periods, idle_ns: int) -> float:
    time_s = periods.duration_s * len(periods.devices)
    return idle_ns / NS_PER_S / time_s if time_s > 0 else 0.0


def _drives(run: Run, device: str | None, count: int) -> tuple[Sequence[TwoStates], str | None]:
    """The power states of each drive; none, and why, where neither the Run nor a name tells."""
    if device is not None:
        return [power.named(device)] * count, None
    try:
        return power.of_run(run), None
    except MissingFiguresError as error:
        return [], (
            f"no policies: {error.message}; name a drive whose figures to use with --device "
            "(`iowatt devices list --needs spin-down` prints them)"
        )


def _notes(
    run: Run, sums: counts.PerDrive, device: str | None, why_not: str | None, waits: list[str]
) -> list[str]:
    said = []
    if cut := int(sums.cut.sum()):
        said.append(
            f"{cut:,} periods are cut by the window: they count with the length that lies in it, but not in "
            "means, variations, autocorrelations and fits"
        )
    said += waits
    if why_not is not None:
        said.append(why_not)
    models = {str(one["model"]) for one in run.summary["devices"]}
    for note in run.notes:
        about = next(
            (model for model in models if note.startswith((f"{model}:", f"{model} is a stand-in"))), None
        )
        if about and ("power" in note or "stand-in" in note) and device is None:
            said.append(note)
    if device is not None:
        said.append(f"the policies go by the power figures of {device}, which is not the Run's own drive")
    if sum(int(one["spin_downs"]) for one in run.summary["devices"]):
        said.append(
            "the Run's own drives spun down: its idle periods are those that this policy left, and its total "
            "energy is not that of drives that never stop"
        )
    return said


def _counted(short: Short, total: int, left_out: int) -> list[str]:
    """What is not known where not every period was kept."""
    if short.periods == 0:
        return []
    policies = f", policies that go by shorter ones ({left_out})" if left_out else ""
    return [
        f"{short.periods:,} of {total:,} periods, all of at most {short.longest_ns / NS_PER_S:.3g} s, were "
        "only counted by length (16 bins to the octave): laws are fitted to these bins, and autocorrelation"
        f"{policies} and the oracle bound at quicker transitions are left out; observe.idle = true keeps "
        "every period"
    ]


def _waits(evaluated: Sequence[Mapping[str, Any]], drives: Sequence[TwoStates]) -> list[str]:
    """What the estimate leaves out where policies delay arrivals."""
    delaying = [row for row in evaluated if row["delayed"]]
    if not delaying:
        return []
    # What the drives would have drawn idling while arrivals waited, over what they drew idling in all.
    idle_w = sum(drive.idle_w for drive in drives) / len(drives)
    points, most = max(
        (
            100
            * row["delayed"]
            * row["added_delay_of_delayed_s"]
            * idle_w
            / (row["energy_j"] + row["saved_j"]),
            row["title"],
        )
        for row in delaying
    )
    return [
        "delays are those of arrivals that end a period; requests that follow while a drive spins up "
        "wait too, so the mean over all operations is a lower bound: simulate a policy for the whole",
        "the wait of a delayed arrival comes on top of the periods, as where every arrival waits for the one "
        "before; where arrivals keep their times (open replay) it takes the place of idling, and a policy "
        f"that delays saves more, by up to {points:.2g} points ({most})",
    ]

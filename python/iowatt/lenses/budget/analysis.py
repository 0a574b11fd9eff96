"""The budget of one Run, or of several at different loads, as a document, ``iowatt.budget/1``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.budget import comparable, service_level
from iowatt.lenses.budget.class_at_load import ClassAtLoad, Key, of_run, same_hops
from iowatt.lenses.budget.result import (
    MEAN,
    AddsUp,
    BetweenLoads,
    BothWays,
    Budget,
    ClassLoad,
    Estimated,
    HopTime,
    PercentileBand,
    RequestClass,
    ServiceLevel,
)
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.lenses.budget.ledger import Ledger, RequestMeans
    from iowatt.run.bundle import Run

#: Percentiles around which a budget breaks requests down, by name.
BANDS: Final = ("p50", "p90", "p99", "p99.9")

#: The slowest requests, in percent of all.
SLOWEST: Final = (10.0, 1.0, 0.1)

#: Requests from which a part of the distribution is more than an anecdote.
FEWEST: Final = 10

#: How far the sum over the hops may differ from the reported mean, as a share of it.
_MODELLED_TOLERANCE: Final = 1e-6
_MEASURED_TOLERANCE: Final = 1e-2


def analyse(
    runs: Sequence[Run],
    *,
    names: Sequence[str] | None = None,
    overloaded: Sequence[bool] | None = None,
    level: ServiceLevel | None = None,
) -> Budget:
    """Where the response time goes in Runs with hops (docs/reference/verbs/budget.md).

    Parameters
    ----------
    runs:
        One, or several of the same system that differ in their load; simulated or measured.
    names:
        What they are called; left out, by their folders.
    overloaded:
        For each Run whether work piled up, so that its times are those of a growing queue.
    level:
        The response time to keep. One Run gives an estimate of the rate that exceeds it
        (:mod:`iowatt.lenses.budget.estimate`); several show between which loads it is exceeded
        (:mod:`iowatt.lenses.budget.service_level`).

    Raises
    ------
    InputError
        A Run has no hops; hops that differ between Runs; no class in common;
        Runs that differ in more than their load; a rate is asked for, and a workload ends long before its
        Run.
    """
    if not runs:
        raise InputError("missing", None, "no Run is given; a budget needs at least one")
    piled = [False] * len(runs) if overloaded is None else list(overloaded)
    called = [_place(run) for run in runs] if names is None else list(names)
    comparable.check_same_system(runs, called)
    if level is not None or len(runs) > 1:
        for run, name in zip(runs, called, strict=True):
            comparable.check_load_lasted(run, name)
    seen = [of_run(run, name, overloaded=over) for run, name, over in zip(runs, called, piled, strict=True)]
    found = [_class(listed, level) for listed in _by_class(seen)]
    modelled = all(run.summary["source"] in MODELLED for run in runs)
    return Budget(
        name=runs[0].name,
        runs=called,
        modelled=modelled,
        level=level,
        classes=found,
        notes=[*_notes(runs, found, modelled), *_moderation(seen), *_ended(runs, called)],
    )


def _place(run: Run) -> str:
    return run.name if run.path is None else str(run.path)


def _by_class(seen: Sequence[Sequence[ClassAtLoad]]) -> list[list[ClassAtLoad]]:
    """Each class of all Runs at its loads, the lowest first."""
    shared = [one.key for one in seen[0] if all(one.key in _keys(other) for other in seen)]
    if not shared:
        raise InputError("not-comparable", seen[-1][0].run, "the Runs share no path and workload")
    every = [[one for listed in seen for one in listed if one.key == key] for key in shared]
    return [sorted(one, key=lambda load: load.rate_iops) for one in every]


def _keys(seen: Sequence[ClassAtLoad]) -> list[Key]:
    return [one.key for one in seen]


def _bands(one: ClassAtLoad, level: ServiceLevel | None) -> list[tuple[str, RequestMeans]]:
    """Groups of requests by name, each with its mean times: all requests, and those around ``level``.

    Where the Run's histogram resolves them, also those around each percentile of ``BANDS`` and the slowest
    shares.
    """
    wanted = dict.fromkeys(BANDS if one.resolved else ())
    if level is not None and level.of != MEAN:
        wanted[level.of] = None
    bands = [(MEAN, one.ledger.mean())] + [(name, one.breakdown(name)) for name in wanted]
    if one.resolved:
        bands += [(f"slowest {share:g} %", one.ledger.slowest(share / 100)) for share in SLOWEST]
    return bands


def _class(loads: Sequence[ClassAtLoad], level: ServiceLevel | None) -> RequestClass:
    path, workload, op = loads[0].key
    hops = same_hops(loads)
    against: Estimated | BetweenLoads | None = None
    if level is not None and len(loads) == 1:
        against = service_level.estimate_crossing(loads[0], level)
    elif level is not None:
        against = service_level.locate_crossing(loads, level)
    return RequestClass(
        path=path,
        workload=workload,
        op=op,
        name=loads[0].ledger.name,
        hops=list(hops),
        loads=[_load(one, _bands(one, level)) for one in loads],
        against=against,
    )


def _load(one: ClassAtLoad, bands: Sequence[tuple[str, RequestMeans]]) -> ClassLoad:
    mean = one.ledger.mean()
    whole = mean.response_ms or float("nan")
    rows = []
    for at, (hop, busy) in enumerate(zip(one.ledger.hops, one.busy, strict=True)):
        waiting, service = float(mean.waiting_ms[at]), float(mean.service_ms[at])
        rows.append(
            HopTime(
                hop=hop.hop,
                way=hop.way,
                waiting_ms=waiting,
                service_ms=service,
                total_ms=waiting + service,
                share=(waiting + service) / whole if mean.response_ms else None,
                utilisation=busy.share,
                servers=busy.servers,
                saturation_iops=one.rate_iops / busy.share if busy.share else None,
                remark=busy.why,
            )
        )
    return ClassLoad(
        run=one.run,
        rate_iops=one.rate_iops,
        own_iops=one.own_iops,
        requests=one.ledger.total,
        overloaded=one.overloaded,
        response_ms={name: one.value_ms(name) for name in (MEAN, *BANDS)},
        hops=rows,
        both_ways=_both_ways(one.ledger, mean),
        made_of=[_band(name, part, one.ledger.total) for name, part in bands],
        adds_up=_adds_up(one, mean.response_ms),
    )


def _both_ways(ledger: Ledger, mean: RequestMeans) -> list[BothWays]:
    """Hops with both of their ways added up."""
    whole = mean.response_ms
    found: dict[str, list[float]] = {}
    for at, hop in enumerate(ledger.hops):
        sums = found.setdefault(hop.hop, [0.0, 0.0])
        sums[0] += float(mean.waiting_ms[at])
        sums[1] += float(mean.service_ms[at])
    return [
        BothWays(
            hop=name,
            waiting_ms=waiting,
            service_ms=service,
            total_ms=waiting + service,
            share=(waiting + service) / whole if whole else None,
        )
        for name, (waiting, service) in found.items()
    ]


def _band(name: str, part: RequestMeans, total: int) -> PercentileBand:
    beyond = part.requests
    return PercentileBand(
        of=name,
        requests=beyond,
        response_ms=part.response_ms,
        anecdote=beyond < min(FEWEST, total),
        waiting_ms=part.waiting_ms.tolist(),
        service_ms=part.service_ms.tolist(),
    )


def _adds_up(one: ClassAtLoad, hops_ms: float) -> AddsUp:
    """Compare the sum over the hops with the response time: in every bin, and in the mean."""
    reported = one.reported_ms
    apart = abs(hops_ms - reported) / reported if reported else 0.0
    tolerance = _MODELLED_TOLERANCE if one.modelled else _MEASURED_TOLERANCE
    outside = one.ledger.outside()
    return AddsUp(
        hops_mean_ms=hops_ms,
        reported_mean_ms=reported,
        bins=int(one.ledger.requests.size),
        bins_outside=outside,
        holds=outside == 0 and apart <= tolerance,
    )


def _moderation(seen: Sequence[Sequence[ClassAtLoad]]) -> Iterator[Note]:
    """Hops whose waiting includes held-back interrupts, with the longest delay."""
    longest: dict[str, float] = {}
    for one in (one for classes in seen for one in classes):
        for hop, busy in zip(one.ledger.hops, one.busy, strict=True):
            if busy.held_s:
                longest[hop.label] = max(longest.get(hop.label, 0.0), busy.held_s)
    for label, held_s in longest.items():
        text = (
            f"waiting at {label} includes interrupt moderation of up to {held_s * 1e6:g} us a visit, which "
            "shrinks as the rate grows"
        )
        yield Note(code="interrupt-moderation", text=text)


def _ended(runs: Sequence[Run], names: Sequence[str]) -> Iterator[Note]:
    """Workloads that ended long before their Run: rates over its window are not theirs."""
    for run, name in zip(runs, names, strict=True):
        for workload, share in comparable.ended_early(run).items():
            text = (
                f"{workload} in {name} ran for {100 * share:.0f} % of the window only; rates and busy shares "
                "are means over the whole window: let all workloads last as long (observe.duration, more "
                "requests)"
            )
            yield Note(code="workload-ended-early", text=text, decides=True)


def _notes(runs: Sequence[Run], classes: Sequence[RequestClass], modelled: bool) -> Iterator[Note]:
    sources = sorted({run.summary["source"] for run in runs})
    yield Note(code="source", text="modelled" if modelled else f"measured: from Runs of {', '.join(sources)}")
    for one in classes:
        if wrong := [load.run for load in one.loads if not load.adds_up.holds]:
            text = f"{one.name} on {one.path}: hops do not add up to the response time in {', '.join(wrong)}"
            yield Note(code="does-not-add-up", text=text, decides=True)
    loads = [load for one in classes for load in one.loads]
    detailed = [len(load.made_of) > 2 for load in loads]
    if any(detailed):
        text = (
            "requests in one bin of the response-time histogram are treated as alike; percentiles and the "
            "slowest requests are broken down at that resolution"
        )
        yield Note(code="bins", text=text)
    if not all(detailed):
        text = "some Runs have only mean times by hop: no breakdown of percentiles there"
        yield Note(code="means-only", text=text)
    if thin := sorted({band.of for load in loads for band in load.made_of if band.anecdote}):
        text = f"fewer than {FEWEST} requests of some class in: {', '.join(thin)}; too few to rest on"
        yield Note(code="few-requests", text=text)
    if any(load.overloaded for load in loads):
        text = "overloaded loads have no steady state: their times are those of a growing queue"
        yield Note(code="overloaded", text=text, decides=True)

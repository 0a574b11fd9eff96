"""A profile into the plan that iowatt-workload generates from: SI numbers and indices."""

from __future__ import annotations

import math
from typing import Any

from iowatt.model.profile import laws
from iowatt.model.profile.profile import Mix, Profile, ProfilePhase, ProfileStream, RequestRun
from iowatt.model.recorded_trace import decoding_spec


def synthesis(
    profile: Profile,
    *,
    span: int,
    seed: int,
    requests: int | None = None,
    duration_s: float | None = None,
    workload: int = 0,
) -> dict[str, Any]:
    """The plan of a profile without problems, ready for ``json.dumps``, on ``span`` bytes.

    It ends after ``requests`` or ``duration_s``, without either with the recorded stamps or never.
    ``workload`` is the number of the workload in a scenario: equal profiles draw different numbers.
    """
    return {
        "name": profile.name,
        "seed": seed,
        "workload": workload,
        "requests": requests,
        "duration_s": duration_s,
        "streams": [_stream(profile, stream, span) for stream in profile.stream],
        "processes": _processes(profile),
        "envelopes": [{"period_s": e.period, "factors": _with_mean_one(e.factors)} for e in profile.envelope],
        "phases": [_phase(phase, profile) for phase in profile.phase],
    }


def _phase(phase: ProfilePhase, profile: Profile) -> dict[str, Any]:
    if phase.shares is None:
        return {"duration_s": phase.duration, "factor": phase.factor, "weights": None}
    shares = phase.shares
    # A stream with arrivals of its own is alone in its process: any weight says so.
    weights = [
        shares.get(s.name, 0.0) * _arrivals_per_request(s) if s.share is not None else 1.0
        for s in profile.stream
    ]
    # The law counts arrivals, the factor requests: a mix of longer runs needs fewer arrivals.
    usual = math.fsum(s.share * _arrivals_per_request(s) for s in profile.stream if s.share is not None)
    here = math.fsum(w for w, s in zip(weights, profile.stream, strict=True) if s.share is not None)
    return {"duration_s": phase.duration, "factor": phase.factor * here / usual, "weights": weights}


def _with_mean_one(factors: list[float]) -> list[float]:
    mean = math.fsum(factors) / len(factors)
    return [factor / mean for factor in factors]


def _stream(profile: Profile, stream: ProfileStream, span: int) -> dict[str, Any]:
    start, end = stream.byte_range(span)
    reads, writes = profile.mixes(stream)
    return {
        "name": stream.name,
        "read_fraction": stream.read_share / 100,
        "read_sizes": _sizes(reads),
        "write_sizes": _sizes(writes),
        "start_bytes": start,
        "end_bytes": end,
        "align_bytes": stream.align,
        "access": stream.access.plan(),
        "run": None if stream.run is None else _run(stream.run),
    }


def _run(run: RequestRun) -> dict[str, Any]:
    return {
        "mean_requests": run.requests,
        "geometric": run.length == "geometric",
        "gap_s": run.gap,
        "exponential": run.gap_law == "exponential",
        "addresses": run.addresses,
    }


def _arrivals_per_request(stream: ProfileStream) -> float:
    """Arrivals for each request: a run arrives once."""
    return 1.0 if stream.run is None else 1.0 / stream.run.requests


def _sizes(mix: Mix) -> list[dict[str, Any]]:
    return [{"bytes": size, "weight": share} for size, share in mix]


def _processes(profile: Profile) -> list[dict[str, Any]]:
    found = []
    if profile.arrivals is not None:
        members = [
            {"stream": index, "weight": stream.share * _arrivals_per_request(stream)}
            for index, stream in enumerate(profile.stream)
            if stream.share is not None
        ]
        arrivals = math.fsum(member["weight"] for member in members) / 100
        found.append(_process(profile.arrivals, members, arrivals))
    for index, stream in enumerate(profile.stream):
        if stream.rate_iops is not None:
            own: laws.Arrivals = laws.Poisson(law="poisson", rate=stream.rate_iops)
        elif stream.arrivals is not None:
            own = stream.arrivals
        else:
            continue
        found.append(_process(own, [{"stream": index, "weight": 1.0}], _arrivals_per_request(stream)))
    return found


def _process(law: laws.Arrivals, members: list[dict[str, Any]], arrivals: float) -> dict[str, Any]:
    if arrivals < 1.0 and isinstance(law, laws.Rated):
        law = law.model_copy(update={"rate": (law.mean_rate or 0.0) * arrivals})
    modulation = None if isinstance(law, laws.Recorded | laws.Closed) else law.modulation
    return {
        "law": _law(law),
        "modulation": None if modulation is None else modulation.plan(),
        "members": members,
        "stay": law.stay,
    }


def _law(law: laws.Arrivals) -> dict[str, Any]:
    if isinstance(law, laws.Closed):
        return {"law": "closed"}
    if isinstance(law, laws.Recorded):
        trace = law.trace
        spec = {**decoding_spec(trace), "device": trace.device or "*"}
        return {"law": "recorded", "trace": spec, "speed": law.speed}
    return law.plan()

"""What can be wrong between the keys of a profile, with the key to blame and the fix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from iowatt.base.problems import KeyPath, Problem, Reporter, suggestion
from iowatt.model.profile.laws import access, arrivals
from iowatt.model.profile.profile import Profile, ProfileStream, SizeShare

# Shares written with a few digits after the point, such as thirds, may miss 100 by this.
_SHARES_TOLERANCE = 0.011


def problems(profile: Profile, span: int | None) -> list[Problem]:
    """All that is wrong with ``profile`` on ``span`` bytes (``None``: not known, so not looked at)."""
    report = Reporter()
    _streams(profile, report)
    _arrivals(profile, report)
    _phases(profile, report)
    _mix(profile.sizes, "sizes", report.at("sizes"))
    _one_size(profile, report)
    for index, stream in enumerate(profile.stream):
        _stream(profile, stream, report.at(f"stream.{index}"), span)
    return report.problems


def _check_sum(shares: Iterable[float], what: str, report: Reporter) -> None:
    total = math.fsum(shares)
    if abs(total - 100) > _SHARES_TOLERANCE:
        report(
            "conflict",
            "",
            f"the shares of {what} add up to {total:g}; expected 100",
            f"{100 - total:+g} is missing",
        )


def _streams(profile: Profile, report: Reporter) -> None:
    counts = Counter(stream.name for stream in profile.stream)
    for index, stream in enumerate(profile.stream):
        below = report.at(f"stream.{index}")
        if counts[stream.name] > 1:
            below("duplicate", "name", f"the name {stream.name!r} is taken by another stream")
        ways = [name for name in ("share", "rate_iops", "arrivals") if getattr(stream, name) is not None]
        if len(ways) != 1:
            has = " and ".join(f"`{way}`" for way in ways) or "none of them"
            message = f"a stream has one of `share`, `rate_iops` and `arrivals`; this one has {has}"
            below("conflict", "", message, "share: a part of the profile's [arrivals]; the others: its own")
    shared = [stream.share for stream in profile.stream if stream.share is not None]
    if shared:
        _check_sum(shared, "the streams", report.at("stream"))


def _arrivals(profile: Profile, report: Reporter) -> None:
    shared = any(stream.share is not None for stream in profile.stream)
    if shared and profile.arrivals is None:
        hint = 'for example arrivals = { law = "poisson", rate = 500 }'
        report("missing", "arrivals", "the key `arrivals` is missing: streams have shares of it", hint)
    if not shared and profile.arrivals is not None:
        report(
            "not-applicable",
            "arrivals",
            "no stream has a share of these arrivals",
            "give the streams a share",
        )
    _law(profile.arrivals, profile, report.at("arrivals"))
    for index, stream in enumerate(profile.stream):
        _law(stream.arrivals, profile, report.at(f"stream.{index}.arrivals"))
    for index, envelope in enumerate(profile.envelope):
        if not any(envelope.factors):
            report("out-of-range", f"envelope.{index}.factors", "nothing ever arrives: all factors are 0")


def _law(law: object, profile: Profile, report: Reporter) -> None:
    if isinstance(law, arrivals.Recorded | arrivals.Closed):
        paced = "recorded stamps" if isinstance(law, arrivals.Recorded) else "completions"
        if profile.envelope or profile.phase:
            report(
                "not-applicable",
                "",
                f"{paced} pace the requests; envelopes and phases have no effect on them",
            )
        runs = [stream.name for stream in profile.stream if stream.run is not None]
        if runs:
            report("not-applicable", "", f"{paced} pace the requests; stream {runs[0]!r} cannot have runs")
        if len(profile.stream) > sum(stream.share is not None for stream in profile.stream):
            report("conflict", "", f"{paced} pace the requests; a stream cannot have a rate of its own")
        return
    if isinstance(law, arrivals.HyperExponential):
        if (law.cv is None) == (law.phases is None):
            report("conflict", "", "a hyper-exponential law has either `cv` (with a rate) or `phases`")
        elif law.phases is not None:
            _check_sum([phase.share for phase in law.phases], "the phases", report.at("phases"))
            return
    if isinstance(law, arrivals.Rated) and law.rate is None:
        report("missing", "rate", f"the rate is missing{_why(profile, report.path)}", _RATE_HINT)
    elif isinstance(law, arrivals.Batch) and law.rate is not None:
        pause = law.mean_requests / law.rate - (law.mean_requests - 1) * law.spacing
        if pause <= 0:
            batch = f"batches of {law.mean_requests:g} requests {law.spacing:g} s apart"
            message = f"{batch} are slower than {law.rate:g} IOPS"
            report("conflict", "spacing", message, "a shorter spacing, or a lower rate")
    modulation = getattr(law, "modulation", None)
    if modulation is not None and not any(state.factor for state in modulation.states):
        report("out-of-range", "modulation", "nothing ever arrives: all factors are 0")


_RATE_HINT = "`rate=500`, `set=arrivals.rate=500`, or in a scenario profile = { name = .., rate_iops = 500 }"


def _why(profile: Profile, path: KeyPath) -> str:
    """What the profile says of a figure that it does not have."""
    figure = ".".join(str(step) for step in (*path, "rate"))
    said = [missing.why for missing in profile.missing if missing.figure == figure]
    return f": {said[0]}" if said else ""


def _phases(profile: Profile, report: Reporter) -> None:
    shared = [stream.name for stream in profile.stream if stream.share is not None]
    if profile.phase and not any(phase.factor for phase in profile.phase):
        report("out-of-range", "phase", "nothing ever arrives: all factors are 0")
    for index, phase in enumerate(profile.phase):
        if phase.shares is None:
            continue
        below = report.at(f"phase.{index}.shares")
        for name in phase.shares:
            if name not in shared:
                hint = suggestion(name, shared, "streams")
                below("unknown-name", (name,), f"there is no stream {name!r} with a share", hint)
        _check_sum(phase.shares.values(), f"phase {phase.name!r}", below)


def _stream(profile: Profile, stream: ProfileStream, report: Reporter, span: int | None) -> None:
    for name in ("sizes", "read_sizes", "write_sizes"):
        _mix(getattr(stream, name), f"{name} of {stream.name!r}", report.at(name))
    _one_size(stream, report)
    reads, writes = profile.mixes(stream)
    for way, mix_, share in (("read", reads, stream.read_share), ("write", writes, 100 - stream.read_share)):
        if share > 0 and not mix_:
            hint = 'for example size = "8KiB"'
            report("missing", "", f"{share:g} % of its requests {way}, and their size is missing", hint)
    low, high = stream.range
    comparable = (low.fraction is None) == (high.fraction is None)
    if comparable and (low.fraction or low.bytes_ or 0) >= (high.fraction or high.bytes_ or 0):
        report("conflict", "range", f"the range ends ({high}) where it begins ({low}) or before")
        return
    if span is not None and (reads or writes):
        _placed(stream, report, span, max(size for size, _ in [*reads, *writes]))


def _mix(mix: list[SizeShare] | None, what: str, report: Reporter) -> None:
    if mix is not None:
        _check_sum([part.share for part in mix], what, report)


def _one_size(table: ProfileStream | Profile, report: Reporter) -> None:
    if table.size is not None and table.sizes is not None:
        report("conflict", "sizes", "both `size` and `sizes` are given", "keep one of them")


def _placed(stream: ProfileStream, report: Reporter, span: int, largest: int) -> None:
    start, end = stream.byte_range(span)
    if end > span:
        message = f"the range ends at byte {end}, outside the span of {span} bytes"
        report("out-of-range", "range", message, "a larger span, or ends in percent")
    elif end - start < largest:
        message = f"the range holds {max(0, end - start)} bytes, and its largest request has {largest}"
        report("out-of-range", "range", message, "a larger span, or a wider range")
    else:
        _law_fits(stream, report, end - start)


def _law_fits(stream: ProfileStream, report: Reporter, length: int) -> None:
    law = stream.access
    if isinstance(law, access.Zipf | access.Skew) and law.extent > length:
        report(
            "out-of-range", "access.extent", f"{law.extent} bytes are more than the range of {length} bytes"
        )
    if isinstance(law, access.HierarchicalReuse) and law.leaf > length:
        report("out-of-range", "access.leaf", f"{law.leaf} bytes are more than the range of {length} bytes")
    if isinstance(law, access.Density):
        _density(law, report.at("access"), length)
    if isinstance(law, access.ReuseDistance):
        _reuse(law, report.at("access"), length)


def _density(law: access.Density, report: Reporter, length: int) -> None:
    if len(law.extents) != len(law.weights):
        message = f"{len(law.weights)} weights for {len(law.extents)} extents"
        report("conflict", "weights", message, "one weight for each extent")
    elif not any(law.weights):
        report("out-of-range", "weights", "no extent has a weight")
    if max(law.extents) * law.extent >= length:
        message = f"extent {max(law.extents)} lies outside the range of {length} bytes"
        report("out-of-range", "extents", message, "a larger span, or a wider range")
    if law.runs:
        _check_sum([run.share for run in law.runs], "the runs", report.at("runs"))
    if law.jumps:
        _check_sum([jump.share for jump in law.jumps], "the jumps", report.at("jumps"))
    elif law.near:
        report("missing", "jumps", "runs begin at jumps, and no jumps are given", "near = 0, or jumps")
    for index, jump in enumerate(law.jumps):
        if jump.least * jump.below < 0 or abs(jump.below) <= abs(jump.least):
            message = f"a jump of {jump.least} to below {jump.below} bytes is empty"
            report("out-of-range", f"jumps.{index}", message, "below: further from 0 than least, same sign")


def _reuse(law: access.ReuseDistance, report: Reporter, length: int) -> None:
    most = 1 << 27
    if length // law.block > most:
        message = f"{length // law.block} blocks are more than the {most} that a stack can hold"
        report("out-of-range", "block", message, "larger blocks, or a narrower range")
    before = (0, 0.0)
    for index, hit in enumerate(law.hits):
        now = (hit.cache // law.block, hit.share)
        if now[0] <= before[0] or now[1] < before[1]:
            message = (
                "a curve of hits rises: each cache at least a block larger than the last, no share smaller"
            )
            report("conflict", f"hits.{index}", message)
        before = now

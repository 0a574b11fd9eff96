"""What can be wrong between the keys of a profile, with the key to blame and the fix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.model.profile.laws import access, arrivals
from iowatt.model.profile.profile import Profile, ProfileStream, SizeShare

# Shares written with a few digits after the point, such as thirds, may miss 100 by this.
_SHARES_TOLERANCE = 0.011


def problems(profile: Profile, span: int | None) -> list[Problem]:
    """All that is wrong with ``profile`` on ``span`` bytes (``None``: not known, so not looked at)."""
    found = [*_streams(profile), *_arrivals(profile), *_phases(profile)]
    found += [*_mix(("sizes",), profile.sizes, "sizes"), *_one_size(profile, ())]
    for index, stream in enumerate(profile.stream):
        found += _stream(profile, stream, ("stream", index), span)
    return found


def _sum_problem(path: KeyPath, shares: Iterable[float], what: str) -> Iterator[Problem]:
    total = math.fsum(shares)
    if abs(total - 100) > _SHARES_TOLERANCE:
        yield Problem(
            "conflict",
            path,
            f"the shares of {what} add up to {total:g}; expected 100",
            f"{100 - total:+g} is missing",
        )


def _streams(profile: Profile) -> Iterator[Problem]:
    counts = Counter(stream.name for stream in profile.stream)
    for index, stream in enumerate(profile.stream):
        path: KeyPath = ("stream", index)
        if counts[stream.name] > 1:
            yield Problem(
                "duplicate", (*path, "name"), f"the name {stream.name!r} is taken by another stream"
            )
        ways = [name for name in ("share", "rate_iops", "arrivals") if getattr(stream, name) is not None]
        if len(ways) != 1:
            has = " and ".join(f"`{way}`" for way in ways) or "none of them"
            message = f"a stream has one of `share`, `rate_iops` and `arrivals`; this one has {has}"
            yield Problem(
                "conflict", path, message, "share: a part of the profile's [arrivals]; the others: its own"
            )
    shared = [stream.share for stream in profile.stream if stream.share is not None]
    if shared:
        yield from _sum_problem(("stream",), shared, "the streams")


def _arrivals(profile: Profile) -> Iterator[Problem]:
    shared = any(stream.share is not None for stream in profile.stream)
    if shared and profile.arrivals is None:
        hint = 'for example arrivals = { law = "poisson", rate = 500 }'
        yield Problem(
            "missing", ("arrivals",), "the key `arrivals` is missing: streams have shares of it", hint
        )
    if not shared and profile.arrivals is not None:
        yield Problem(
            "not-applicable",
            ("arrivals",),
            "no stream has a share of these arrivals",
            "give the streams a share",
        )
    laws = [(("arrivals",), profile.arrivals)]
    laws += [(("stream", i, "arrivals"), s.arrivals) for i, s in enumerate(profile.stream)]  # type: ignore[misc]
    for path, law in laws:
        yield from _law(path, law, profile)
    for index, envelope in enumerate(profile.envelope):
        if not any(envelope.factors):
            yield Problem(
                "out-of-range", ("envelope", index, "factors"), "nothing ever arrives: all factors are 0"
            )


def _law(path: KeyPath, law: object, profile: Profile) -> Iterator[Problem]:
    if isinstance(law, arrivals.Recorded | arrivals.Closed):
        paced = "recorded stamps" if isinstance(law, arrivals.Recorded) else "completions"
        if profile.envelope or profile.phase:
            yield Problem(
                "not-applicable",
                path,
                f"{paced} pace the requests; envelopes and phases have no effect on them",
            )
        runs = [stream.name for stream in profile.stream if stream.run is not None]
        if runs:
            yield Problem(
                "not-applicable", path, f"{paced} pace the requests; stream {runs[0]!r} cannot have runs"
            )
        if len(profile.stream) > sum(stream.share is not None for stream in profile.stream):
            yield Problem(
                "conflict", path, f"{paced} pace the requests; a stream cannot have a rate of its own"
            )
        return
    if isinstance(law, arrivals.HyperExponential):
        if (law.cv is None) == (law.phases is None):
            yield Problem(
                "conflict", path, "a hyper-exponential law has either `cv` (with a rate) or `phases`"
            )
        elif law.phases is not None:
            yield from _sum_problem((*path, "phases"), [phase.share for phase in law.phases], "the phases")
            return
    if isinstance(law, arrivals.Rated) and law.rate is None:
        yield Problem("missing", (*path, "rate"), f"the rate is missing{_why(profile, path)}", _RATE_HINT)
    elif isinstance(law, arrivals.Batch) and law.rate is not None:
        pause = law.mean_requests / law.rate - (law.mean_requests - 1) * law.spacing
        if pause <= 0:
            batch = f"batches of {law.mean_requests:g} requests {law.spacing:g} s apart"
            message = f"{batch} are slower than {law.rate:g} IOPS"
            yield Problem("conflict", (*path, "spacing"), message, "a shorter spacing, or a lower rate")
    modulation = getattr(law, "modulation", None)
    if modulation is not None and not any(state.factor for state in modulation.states):
        yield Problem("out-of-range", (*path, "modulation"), "nothing ever arrives: all factors are 0")


_RATE_HINT = "`rate=500`, `set=arrivals.rate=500`, or in a scenario profile = { name = .., rate_iops = 500 }"


def _why(profile: Profile, path: KeyPath) -> str:
    """What the profile says of a figure that it does not have."""
    figure = ".".join(str(step) for step in (*path, "rate"))
    said = [missing.why for missing in profile.missing if missing.figure == figure]
    return f": {said[0]}" if said else ""


def _phases(profile: Profile) -> Iterator[Problem]:
    shared = [stream.name for stream in profile.stream if stream.share is not None]
    if profile.phase and not any(phase.factor for phase in profile.phase):
        yield Problem("out-of-range", ("phase",), "nothing ever arrives: all factors are 0")
    for index, phase in enumerate(profile.phase):
        if phase.shares is None:
            continue
        path: KeyPath = ("phase", index, "shares")
        for name in phase.shares:
            if name not in shared:
                hint = suggestion(name, shared, "streams")
                yield Problem(
                    "unknown-name", (*path, name), f"there is no stream {name!r} with a share", hint
                )
        yield from _sum_problem(path, phase.shares.values(), f"phase {phase.name!r}")


def _stream(profile: Profile, stream: ProfileStream, path: KeyPath, span: int | None) -> Iterator[Problem]:
    for name in ("sizes", "read_sizes", "write_sizes"):
        yield from _mix((*path, name), getattr(stream, name), f"{name} of {stream.name!r}")
    yield from _one_size(stream, path)
    reads, writes = profile.mixes(stream)
    for way, mix_, share in (("read", reads, stream.read_share), ("write", writes, 100 - stream.read_share)):
        if share > 0 and not mix_:
            hint = 'for example size = "8KiB"'
            yield Problem(
                "missing", path, f"{share:g} % of its requests {way}, and their size is missing", hint
            )
    low, high = stream.range
    comparable = (low.fraction is None) == (high.fraction is None)
    if comparable and (low.fraction or low.bytes_ or 0) >= (high.fraction or high.bytes_ or 0):
        yield Problem(
            "conflict", (*path, "range"), f"the range ends ({high}) where it begins ({low}) or before"
        )
        return
    if span is not None and (reads or writes):
        yield from _placed(stream, path, span, max(size for size, _ in [*reads, *writes]))


def _mix(path: KeyPath, mix: list[SizeShare] | None, what: str) -> Iterator[Problem]:
    if mix is not None:
        yield from _sum_problem(path, [part.share for part in mix], what)


def _one_size(table: ProfileStream | Profile, path: KeyPath) -> Iterator[Problem]:
    if table.size is not None and table.sizes is not None:
        yield Problem("conflict", (*path, "sizes"), "both `size` and `sizes` are given", "keep one of them")


def _placed(stream: ProfileStream, path: KeyPath, span: int, largest: int) -> Iterator[Problem]:
    start, end = stream.byte_range(span)
    if end > span:
        message = f"the range ends at byte {end}, outside the span of {span} bytes"
        yield Problem("out-of-range", (*path, "range"), message, "a larger span, or ends in percent")
    elif end - start < largest:
        message = f"the range holds {max(0, end - start)} bytes, and its largest request has {largest}"
        yield Problem("out-of-range", (*path, "range"), message, "a larger span, or a wider range")
    else:
        yield from _law_fits(stream, path, end - start)


def _law_fits(stream: ProfileStream, path: KeyPath, length: int) -> Iterator[Problem]:
    law = stream.access
    if isinstance(law, access.Zipf | access.Skew) and law.extent > length:
        yield Problem(
            "out-of-range",
            (*path, "access", "extent"),
            f"{law.extent} bytes are more than the range of {length} bytes",
        )
    if isinstance(law, access.HierarchicalReuse) and law.leaf > length:
        yield Problem(
            "out-of-range",
            (*path, "access", "leaf"),
            f"{law.leaf} bytes are more than the range of {length} bytes",
        )
    if isinstance(law, access.Density):
        yield from _density(law, (*path, "access"), length)
    if isinstance(law, access.ReuseDistance):
        yield from _reuse(law, (*path, "access"), length)


def _density(law: access.Density, path: KeyPath, length: int) -> Iterator[Problem]:
    if len(law.extents) != len(law.weights):
        message = f"{len(law.weights)} weights for {len(law.extents)} extents"
        yield Problem("conflict", (*path, "weights"), message, "one weight for each extent")
    elif not any(law.weights):
        yield Problem("out-of-range", (*path, "weights"), "no extent has a weight")
    if max(law.extents) * law.extent >= length:
        message = f"extent {max(law.extents)} lies outside the range of {length} bytes"
        yield Problem("out-of-range", (*path, "extents"), message, "a larger span, or a wider range")
    if law.runs:
        yield from _sum_problem((*path, "runs"), [run.share for run in law.runs], "the runs")
    if law.jumps:
        yield from _sum_problem((*path, "jumps"), [jump.share for jump in law.jumps], "the jumps")
    elif law.near:
        yield Problem(
            "missing", (*path, "jumps"), "runs begin at jumps, and no jumps are given", "near = 0, or jumps"
        )
    for index, jump in enumerate(law.jumps):
        if jump.least * jump.below < 0 or abs(jump.below) <= abs(jump.least):
            message = f"a jump of {jump.least} to below {jump.below} bytes is empty"
            yield Problem(
                "out-of-range",
                (*path, "jumps", index),
                message,
                "below: further from 0 than least, same sign",
            )


def _reuse(law: access.ReuseDistance, path: KeyPath, length: int) -> Iterator[Problem]:
    most = 1 << 27
    if length // law.block > most:
        message = f"{length // law.block} blocks are more than the {most} that a stack can hold"
        yield Problem("out-of-range", (*path, "block"), message, "larger blocks, or a narrower range")
    before = (0, 0.0)
    for index, hit in enumerate(law.hits):
        now = (hit.cache // law.block, hit.share)
        if now[0] <= before[0] or now[1] < before[1]:
            message = (
                "a curve of hits rises: each cache at least a block larger than the last, no share smaller"
            )
            yield Problem("conflict", (*path, "hits", index), message)
        before = now

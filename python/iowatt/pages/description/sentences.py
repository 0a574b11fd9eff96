"""A description in sentences, each with a label: the summary of a terminal."""

from __future__ import annotations

from iowatt.render import numbers
from iowatt.trace.description import (
    AlignmentLevel,
    BlockSkewPoint,
    Breakdown,
    Burstiness,
    DensityFigures,
    Description,
    GapFigures,
    RewriteFigures,
    Sequentiality,
    WorkingSet,
)
from iowatt.trace.result import RequestCounts

Line = tuple[str, str]

_SHOWN = 5


def lines(found: Description) -> list[Line]:
    """The description of one trace."""
    shown = [
        ("requests", _requests(found)),
        ("span", _span(found)),
        ("rate", _rate(found)),
        *((f"{kind} sizes", _sizes(found, kind)) for kind in ("read", "write") if getattr(found.sizes, kind)),
        ("alignment", _alignment(found.alignment)),
    ]
    if found.inter_arrival is not None and found.span.duration_s > 0:
        shown += _arrivals(found.inter_arrival)
    shown += _burstiness(found.burstiness)
    shown += [
        ("sequential", _sequential(found.sequential)),
        ("runs", _runs(found)),
        ("footprint", _footprint(found)),
    ]
    if found.working_set:
        shown.append(("working set", _working_set(found.working_set)))
    shown += [
        ("reuse", _reuse(found)),
        ("miss ratio", _miss_ratio(found)),
        ("rewriting", _rewrites(found.rewrites)),
        ("density", _density(found.density)),
        ("hot blocks", _hot_blocks(found.block_skew)),
    ]
    for kind, volumes in (("devices", found.devices), ("streams", found.streams)):
        if volumes.count:
            shown.append((kind, _breakdown(volumes)))
    return shown


def _requests(found: Description) -> str:
    requests, moved = found.requests, found.bytes
    text = (
        f"{requests.count:,}: {percent(requests.read_share)} reads "
        f"({percent(moved.read_share)} of the bytes), {size(moved.read)} read, "
        f"{size(moved.written)} written"
    )
    return text + besides(requests)


def besides(requests: RequestCounts) -> str:
    """Trims and flushes, where there are any."""
    kinds = {"trims": requests.trims, "flushes": requests.flushes}
    other = [f"{number:,} {kind}" for kind, number in kinds.items() if number]
    return f"; besides {' and '.join(other)}" if other else ""


def _span(found: Description) -> str:
    text = time(found.span.duration_s)
    return f"{text} from {found.origin}" if found.origin else text


def _rate(found: Description) -> str:
    rate = found.rate
    if found.span.duration_s == 0:
        return "not known: all requests have one stamp"

    def figure(name: str) -> str:
        return numbers.significant(getattr(rate, name))

    return (
        f"{figure('iops')} IOPS ({figure('read_iops')} read, {figure('write_iops')} write), "
        f"{figure('mib_per_s')} MiB/s ({figure('read_mib_per_s')} read, {figure('write_mib_per_s')} write)"
    )


def _sizes(found: Description, kind: str) -> str:
    spread, histogram = getattr(found.sizes, kind), found.sizes.histogram
    counts = sorted(
        zip(getattr(histogram, f"{kind}s"), histogram.bytes, strict=True), key=lambda c: (-c[0], c[1])
    )
    total = sum(getattr(histogram, f"{kind}s"))
    common = ", ".join(f"{size(b)} {percent(n / total)}" for n, b in counts[:_SHOWN] if n)
    return f"mean {spread.mean:,.0f} B, p50 {size(spread.p50)}, p90 {size(spread.p90)}; {common}"


def _alignment(found: list[AlignmentLevel]) -> str:
    (at,) = (level for level in found if level.bytes == 4096)
    return (
        f"{percent(at.offset_request_share)} of requests ({percent(at.offset_byte_share)} of bytes) "
        f"start at a multiple of 4 KiB, {percent(at.whole_request_share)} "
        f"({percent(at.whole_byte_share)}) are of whole ones"
    )


def _arrivals(gaps: GapFigures) -> list[Line]:
    named = gaps.percentiles_s
    text = f"mean {time(gaps.mean_s)}"
    text += f", CV {gaps.cv:.3g}" if gaps.cv is not None else ""
    text += "".join(f", {name} {time(named[name])}" for name in ("p50", "p90", "p99", "max"))
    if gaps.lag1_autocorrelation is not None:
        text += f"; correlation of a gap with the next {gaps.lag1_autocorrelation:.2f}"
    shown = [("inter-arrival", text)]
    if gaps.fits:
        best = min(gaps.fits, key=lambda fit: fit.ks_distance)
        phases = " or ".join(
            f"{percent(p)} of mean {time(mean)}"
            for p, mean in zip(best.probability, best.mean_s, strict=True)
        )
        shown.append(
            (
                "nearest law",
                f"{best.law} ({best.method.replace('-', ' ')}): {phases}; distance "
                f"{best.ks_distance:.3f} (Kolmogorov-Smirnov)",
            )
        )
    return shown


def _burstiness(found: Burstiness) -> list[Line]:
    wanted = [scale for scale in found.scales if scale.window_s in (2**-6, 1, 64, 4096)]
    shown = []
    if wanted:
        text = ", ".join(f"{numbers.significant(s.idc)} at {_scale(s.window_s)}" for s in wanted)
        shown.append(("dispersion", f"{text} (variance over mean of counts; 1 for Poisson arrivals)"))
    if found.hurst:
        text = ", ".join(
            f"{h.hurst:.2f} ± {h.standard_error:.2f} by {METHODS[h.method]} "
            f"({_scale(h.from_s)} to {_scale(h.to_s)})"
            for h in found.hurst
        )
        shown.append(("Hurst", text))
    return shown


METHODS = {"aggregated-variance": "aggregated variance", "wavelet-haar": "Haar wavelet"}


def _scale(seconds: float) -> str:
    """A power of two of a second, as one."""
    return f"{seconds:,.0f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _sequential(found: Sequentiality) -> str:
    text = (
        f"{percent(found.consecutive_request_share)} of requests "
        f"({percent(found.consecutive_byte_share)} of bytes) start where the device's last one ended"
    )
    if found.consecutive_in_stream_request_share is not None:
        text += (
            f", {percent(found.consecutive_in_stream_request_share)} "
            f"({percent(found.consecutive_in_stream_byte_share)}) where the stream's did"
        )
    return text


def _runs(found: Description) -> str:
    runs, lookback = found.sequential.runs, found.options.lookback
    lengths = runs.length_requests
    text = (
        f"{percent(runs.sequential_request_share)} of requests ({percent(runs.sequential_byte_share)} "
        f"of bytes) continue one of the last {lookback} runs"
    )
    if lengths is None:
        return text
    return (
        f"{text}; runs have {lengths.mean:.3g} requests on average, p99 {lengths.p99:,.0f}, max "
        f"{lengths.max:,.0f}"
    )


def _footprint(found: Description) -> str:
    footprint = found.footprint
    total, read, written, both = (
        size(getattr(footprint, f"{k}_bytes")) for k in ("total", "read", "written", "both")
    )
    block = size(found.options.block_bytes)
    text = f"{total} ({read} read, {written} written, {both} both) in {block} blocks"
    error = footprint.standard_error_bytes
    return f"about {text}, ± {size(error)}" if error else text


def _working_set(sets: list[WorkingSet]) -> str:
    wanted = [s for s in sets if s.window_s in (1, 60, 3600, 86400)] or sets[-1:]
    return ", ".join(
        f"{size(s.mean_bytes)} in {time(s.window_s)} (at most {size(s.max_bytes)})" for s in wanted
    )


def _reuse(found: Description) -> str:
    first, sample = found.reuse.first_touch, found.reuse.sample
    text = (
        f"first touches are {percent(first.requests)} of requests, {percent(first.bytes)} of bytes: no "
        "cache saves them"
    )
    if sample.method == "exact":
        return f"{text} (exact)"
    return f"{text} (sampled: {percent(sample.rate)} of the address space)"


def _miss_ratio(found: Description) -> str:
    """Near a hundredth, a tenth and half of the footprint; and at the sizes asked for."""
    curve, total = found.reuse.miss_ratio, found.footprint.total_bytes
    wanted = [total * part for part in (0.01, 0.1, 0.5)]
    at = {min(range(len(curve.cache_bytes)), key=lambda i: abs(curve.cache_bytes[i] - w)) for w in wanted}
    block = found.options.block_bytes
    asked = {cache // block * block for cache in found.options.cache_bytes}
    at |= {i for i, cache in enumerate(curve.cache_bytes) if cache in asked}
    shown = []
    for i in sorted(at):
        error = curve.requests_standard_error[i]
        doubt = f" ± {100 * error:.2g}" if error else ""
        shown.append(
            f"{memory(curve.cache_bytes[i])}: {percent(curve.requests[i])}{doubt} of requests, "
            f"{percent(curve.bytes[i])} of bytes"
        )
    return f"LRU cache of {'; '.join(shown)}"


def _rewrites(found: RewriteFigures) -> str:
    if found.overwrite_byte_share is None:
        return "nothing is written"
    text = (
        f"{percent(found.overwrite_request_share)} of writes ({percent(found.overwrite_byte_share)} of "
        "bytes) overwrite what the trace wrote"
    )
    interval = found.interval_s
    if interval is None:
        return text
    return f"{text}, after {time(interval.p50)} (median), p90 {time(interval.p90)}"


def _density(found: DensityFigures) -> str:
    skew = {point.hottest: point for point in found.skew}
    shown = ", ".join(
        f"{100 * part:.4g} % get {percent(skew[part].request_share)} of requests and "
        f"{percent(skew[part].byte_share)} of bytes"
        for part in (0.01, 0.1, 0.2)
    )
    return (
        f"{found.touched:,} of {found.spanned:,} extents of {numbers.binary(found.extent_bytes)} "
        f"touched; of these the hottest {shown}"
    )


def _hot_blocks(found: list[BlockSkewPoint]) -> str:
    skew = {point.hottest: point.reference_share for point in found}
    shown = ", ".join(f"{100 * part:.4g} % get {percent(skew[part])}" for part in (0.01, 0.1, 0.2))
    return f"of the touched blocks the hottest {shown} of the references"


def _breakdown(found: Breakdown) -> str:
    top = found.listed[:_SHOWN]
    text = ", ".join(
        f"{volume.name} {percent(volume.request_share)} ({percent(volume.byte_share)} of bytes)"
        for volume in top
    )
    rest = found.count - len(top)
    return f"{found.count:,}: {text}" + (f", {rest:,} more" if rest else "")


def percent(share: float | None) -> str:
    """A percentage; neither 0 % nor 100 % unless it is exactly that."""
    if share is None:
        return numbers.NO_VALUE
    value = 100 * share
    if 0 < value < 0.01:
        return "<0.01\u00a0%"
    if 99.99 < value < 100:
        return ">99.99\u00a0%"
    return f"{value:.4g}\u00a0%" if value in (0, 100) else f"{value:.2f}\u00a0%"


def size(count: float) -> str:
    """Bytes in whole numbers; blocks count in 1024s, capacities in 1000s: the habits of scenarios."""
    from iowatt.base.units import format_bytes  # the package loads pydantic

    return format_bytes(round(count), binary=count < 1 << 20)


def memory(count: int) -> str:
    """Bytes of a cache, which counts in 1024s at any size."""
    from iowatt.base.units import format_bytes  # the package loads pydantic

    return format_bytes(count, binary=True)


def time(seconds: float) -> str:
    """Seconds in a unit that reads well."""
    from iowatt.base.units import format_duration

    return format_duration(seconds)

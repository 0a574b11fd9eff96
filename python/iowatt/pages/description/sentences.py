"""A description in labelled sentences, the summary on a terminal."""

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


def lines(trace: Description) -> list[Line]:
    """The description of one trace."""
    shown = [
        ("requests", _requests(trace)),
        ("span", _span(trace)),
        ("rate", _rate(trace)),
        *((f"{kind} sizes", _sizes(trace, kind)) for kind in ("read", "write") if getattr(trace.sizes, kind)),
        ("alignment", _alignment(trace.alignment)),
    ]
    if trace.inter_arrival is not None and trace.span.duration_s > 0:
        shown += _arrivals(trace.inter_arrival)
    shown += _burstiness(trace.burstiness)
    shown += [
        ("sequential", _sequential(trace.sequential)),
        ("runs", _runs(trace)),
        ("footprint", _footprint(trace)),
    ]
    if trace.working_set:
        shown.append(("working set", _working_set(trace.working_set)))
    shown += [
        ("reuse", _reuse(trace)),
        ("miss ratio", _miss_ratio(trace)),
        ("rewriting", _rewrites(trace.rewrites)),
        ("density", _density(trace.density)),
        ("hot blocks", _hot_blocks(trace.block_skew)),
    ]
    for kind, volumes in (("devices", trace.devices), ("streams", trace.streams)):
        if volumes.count:
            shown.append((kind, _breakdown(volumes)))
    return shown


def _requests(trace: Description) -> str:
    requests, moved = trace.requests, trace.bytes
    text = (
        f"{requests.count:,}: {percent(requests.read_share)} reads "
        f"({percent(moved.read_share)} of the bytes), {size(moved.read)} read, "
        f"{size(moved.written)} written"
    )
    return text + besides(requests)


def besides(requests: RequestCounts) -> str:
    """Trims and flushes, if there are any."""
    kinds = {"trims": requests.trims, "flushes": requests.flushes}
    other = [f"{number:,} {kind}" for kind, number in kinds.items() if number]
    return f"; besides {' and '.join(other)}" if other else ""


def _span(trace: Description) -> str:
    text = time(trace.span.duration_s)
    return f"{text} from {trace.origin}" if trace.origin else text


def _rate(trace: Description) -> str:
    rate = trace.rate
    if trace.span.duration_s == 0:
        return "not known: all requests have one stamp"

    def figure(name: str) -> str:
        return numbers.significant(getattr(rate, name))

    return (
        f"{figure('iops')} IOPS ({figure('read_iops')} read, {figure('write_iops')} write), "
        f"{figure('mib_per_s')} MiB/s ({figure('read_mib_per_s')} read, {figure('write_mib_per_s')} write)"
    )


def _sizes(trace: Description, kind: str) -> str:
    spread, histogram = getattr(trace.sizes, kind), trace.sizes.histogram
    counts = sorted(
        zip(getattr(histogram, f"{kind}s"), histogram.bytes, strict=True), key=lambda c: (-c[0], c[1])
    )
    total = sum(getattr(histogram, f"{kind}s"))
    common = ", ".join(f"{size(b)} {percent(n / total)}" for n, b in counts[:_SHOWN] if n)
    return f"mean {spread.mean:,.0f} B, p50 {size(spread.p50)}, p90 {size(spread.p90)}; {common}"


def _alignment(levels: list[AlignmentLevel]) -> str:
    (at,) = (level for level in levels if level.bytes == 4096)
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


def _burstiness(bursts: Burstiness) -> list[Line]:
    wanted = [scale for scale in bursts.scales if scale.window_s in (2**-6, 1, 64, 4096)]
    shown = []
    if wanted:
        text = ", ".join(f"{numbers.significant(s.idc)} at {_scale(s.window_s)}" for s in wanted)
        shown.append(("dispersion", f"{text} (variance over mean of counts; 1 for Poisson arrivals)"))
    if bursts.hurst:
        text = ", ".join(
            f"{h.hurst:.2f} ± {h.standard_error:.2f} by {METHODS[h.method]} "
            f"({_scale(h.from_s)} to {_scale(h.to_s)})"
            for h in bursts.hurst
        )
        shown.append(("Hurst", text))
    return shown


METHODS = {"aggregated-variance": "aggregated variance", "wavelet-haar": "Haar wavelet"}


def _scale(seconds: float) -> str:
    """A window of a power of two seconds."""
    return f"{seconds:,.0f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _sequential(runs: Sequentiality) -> str:
    text = (
        f"{percent(runs.consecutive_request_share)} of requests "
        f"({percent(runs.consecutive_byte_share)} of bytes) start where the device's last one ended"
    )
    if runs.consecutive_in_stream_request_share is not None:
        text += (
            f", {percent(runs.consecutive_in_stream_request_share)} "
            f"({percent(runs.consecutive_in_stream_byte_share)}) where the stream's did"
        )
    return text


def _runs(trace: Description) -> str:
    runs, lookback = trace.sequential.runs, trace.options.lookback
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


def _footprint(trace: Description) -> str:
    footprint = trace.footprint
    total, read, written, both = (
        size(getattr(footprint, f"{k}_bytes")) for k in ("total", "read", "written", "both")
    )
    block = size(trace.options.block_bytes)
    text = f"{total} ({read} read, {written} written, {both} both) in {block} blocks"
    error = footprint.standard_error_bytes
    return f"about {text}, ± {size(error)}" if error else text


def _working_set(sets: list[WorkingSet]) -> str:
    wanted = [s for s in sets if s.window_s in (1, 60, 3600, 86400)] or sets[-1:]
    return ", ".join(
        f"{size(s.mean_bytes)} in {time(s.window_s)} (at most {size(s.max_bytes)})" for s in wanted
    )


def _reuse(trace: Description) -> str:
    first, sample = trace.reuse.first_touch, trace.reuse.sample
    text = (
        f"first touches are {percent(first.requests)} of requests, {percent(first.bytes)} of bytes: no "
        "cache saves them"
    )
    if sample.method == "exact":
        return f"{text} (exact)"
    return f"{text} (sampled: {percent(sample.rate)} of the address space)"


def _miss_ratio(trace: Description) -> str:
    """The miss ratio near a hundredth, a tenth and half of the footprint, and at the sizes asked for."""
    curve, total = trace.reuse.miss_ratio, trace.footprint.total_bytes
    wanted = [total * part for part in (0.01, 0.1, 0.5)]
    at = {min(range(len(curve.cache_bytes)), key=lambda i: abs(curve.cache_bytes[i] - w)) for w in wanted}
    block = trace.options.block_bytes
    asked = {cache // block * block for cache in trace.options.cache_bytes}
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


def _rewrites(rewrites: RewriteFigures) -> str:
    if rewrites.overwrite_byte_share is None:
        return "nothing is written"
    text = (
        f"{percent(rewrites.overwrite_request_share)} of writes ({percent(rewrites.overwrite_byte_share)} of "
        "bytes) overwrite what the trace wrote"
    )
    interval = rewrites.interval_s
    if interval is None:
        return text
    return f"{text}, after {time(interval.p50)} (median), p90 {time(interval.p90)}"


def _density(density: DensityFigures) -> str:
    skew = {point.hottest: point for point in density.skew}
    shown = ", ".join(
        f"{100 * part:.4g} % get {percent(skew[part].request_share)} of requests and "
        f"{percent(skew[part].byte_share)} of bytes"
        for part in (0.01, 0.1, 0.2)
    )
    return (
        f"{density.touched:,} of {density.spanned:,} extents of {numbers.binary(density.extent_bytes)} "
        f"touched; of these the hottest {shown}"
    )


def _hot_blocks(points: list[BlockSkewPoint]) -> str:
    skew = {point.hottest: point.reference_share for point in points}
    shown = ", ".join(f"{100 * part:.4g} % get {percent(skew[part])}" for part in (0.01, 0.1, 0.2))
    return f"of the touched blocks the hottest {shown} of the references"


def _breakdown(volumes: Breakdown) -> str:
    top = volumes.listed[:_SHOWN]
    text = ", ".join(
        f"{volume.name} {percent(volume.request_share)} ({percent(volume.byte_share)} of bytes)"
        for volume in top
    )
    rest = volumes.count - len(top)
    return f"{volumes.count:,}: {text}" + (f", {rest:,} more" if rest else "")


def percent(share: float | None) -> str:
    """A percentage that reads 0 % or 100 % only where it is exactly that."""
    if share is None:
        return numbers.NO_VALUE
    value = 100 * share
    if 0 < value < 0.01:
        return "<0.01\u00a0%"
    if 99.99 < value < 100:
        return ">99.99\u00a0%"
    return f"{value:.4g}\u00a0%" if value in (0, 100) else f"{value:.2f}\u00a0%"


def size(count: float) -> str:
    """Bytes in whole numbers: blocks in powers of 1024, capacities in powers of 1000, as in scenarios."""
    from iowatt.base.units import format_bytes  # the package loads pydantic

    return format_bytes(round(count), binary=count < 1 << 20)


def memory(count: int) -> str:
    """Bytes of a cache, in powers of 1024."""
    from iowatt.base.units import format_bytes  # the package loads pydantic

    return format_bytes(count, binary=True)


def time(seconds: float) -> str:
    """Seconds in a suitable unit."""
    from iowatt.base.units import format_duration

    return format_duration(seconds)

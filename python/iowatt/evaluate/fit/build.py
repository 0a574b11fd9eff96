"""A description into a profile document: plain values, as TOML has them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base import toml_writer
from iowatt.base.errors import InputError
from iowatt.evaluate.fit.calibrate import FitParameters
from iowatt.model.profile import PROFILE_SCHEMA
from iowatt.trace.description import Description, HalvingDivisions, SequentialRuns, SizeHistogram

# A class needs at least this share of the requests.
_LEAST_SHARE = 1e-3


def threshold(histogram: SizeHistogram) -> int | None:
    """The greatest size of the small ones, bytes; ``None`` where sizes do not differ.

    It is the one that leaves the least variance of log size within the two classes, which is the most between
    them (N. Otsu, IEEE Trans. Systems, Man and Cybernetics 9(1), 1979).
    """
    columns = zip(histogram.bytes, histogram.reads, histogram.writes, strict=True)
    rows = sorted((size, reads + writes) for size, reads, writes in columns if reads + writes)
    total = sum(count for _, count in rows)
    whole = math.fsum(math.log2(size) * count for size, count in rows)
    best, found = 0.0, None
    below, low = 0, 0.0
    for size, count in rows[:-1]:
        below += count
        low += math.log2(size) * count
        if min(below, total - below) < _LEAST_SHARE * total:
            continue
        apart = (whole - low) / (total - below) - low / below
        between = below * (total - below) * apart * apart
        if between > best:
            best, found = between, size
    return found


def classes(histogram: SizeHistogram) -> dict[str, tuple[int, int] | None]:
    """Least and greatest size of each class, by the suffix of its streams; all where one is enough."""
    split = threshold(histogram)
    if split is None:
        return {"": None}
    return {"-small": (0, split), "-large": (split + 1, (1 << 32) - 1)}


def described(suffix: str) -> str:
    """The name of a class in comments."""
    return "all sizes" if not suffix else f"{suffix[1:]} requests"


# Extents that a profile lists at most; beyond, neighbours are joined.
_EXTENTS: Final = 1 << 16


def density(description: Description) -> tuple[int, dict[str, dict[int, int]]]:
    """Bytes of an extent, and the requests that begin in each by direction (``reads``, ``writes``)."""
    figures = description.density
    size, extents = figures.extent_bytes, figures.extents
    numbers = [offset // size for offset in extents.offset_bytes]
    while len(set(numbers)) > _EXTENTS:
        size *= 2
        numbers = [number // 2 for number in numbers]
    found: dict[str, dict[int, int]] = {"reads": {}, "writes": {}}
    for way, counts in found.items():
        for number, count in zip(numbers, getattr(extents, way), strict=True):
            if count:
                counts[number] = counts.get(number, 0) + count
    return size, found


def runs(figures: SequentialRuns) -> list[dict[str, float]]:
    """Run lengths of one direction and their shares of the runs, percent."""
    rows = figures.histogram
    total = sum(rows.runs)
    if figures.sequential_request_share == 0 or not total:
        return []
    return [
        {"requests": requests / n, "share": 100 * n / total}
        for n, requests in zip(rows.runs, rows.requests, strict=True)
        if n
    ]


def alignment(description: Description) -> int:
    """The largest of the description's alignments that at least 99 % of the offsets keep, or 512 bytes."""
    kept = [row.bytes for row in description.alignment if row.offset_request_share >= 0.99]
    return max(kept, default=512)


WAYS = ("reads", "writes")
# A last window shorter than this part of one is joined to the one before.
_SLIVER = 1e-3
_MOST_HALVINGS = 64


def phases(description: Description, classes: Mapping[str, Description]) -> list[dict[str, Any]]:
    """One phase for each window of the course over time: its rate over the mean, its mix of streams.

    ``classes`` are descriptions of the requests of each class of sizes, by the suffix of their streams.
    Factors have a mean of 1 over the whole trace; neighbours without requests are joined.
    """
    over, span = description.over_time, description.span.duration_s
    width = over.window_s
    names = [(way + suffix, getattr(of.over_time, way)) for suffix, of in classes.items() for way in WAYS]
    windows = len(over.reads)
    counts = [
        {name: column[at] for name, column in names if at < len(column) and column[at]}
        for at in range(windows)
    ]
    lengths = [min(width, span - i * width) for i in range(windows)]
    if windows > 1 and lengths[-1] < _SLIVER * width:
        last = counts.pop()
        sliver = lengths.pop()
        lengths[-1] += sliver
        counts[-1] = {name: counts[-1].get(name, 0) + last.get(name, 0) for name in {**counts[-1], **last}}
    mean = sum(sum(count.values()) for count in counts) / span
    found: list[dict[str, Any]] = []
    idle = False
    for count, length in zip(counts, lengths, strict=True):
        total = sum(count.values())
        if total == 0 and idle:
            found[-1]["length_s"] += length
            continue
        idle = total == 0
        shares = None if idle else {name: 100 * n / total for name, n in count.items()}
        found.append({"length_s": length, "factor": total / length / mean, "shares": shares})
    return found


def unevenness(description: Description) -> list[list[float]]:
    """How unevenly each halving of a window divides its requests, the widest first, by their number.

    The description's divisions are of windows of powers of two of a second; those of the phases' windows lie
    between two of them and take their mean by the logarithm of the width. A class of counts that a scale
    lacks has the unevenness of the nearest it has.
    """
    known = [
        (math.log2(scale.window_s), _filled(scale.divisions))
        for scale in description.burstiness.scales
        if scale.divisions.windows
    ]
    if not known:
        return []
    found: list[list[float]] = []
    width = description.over_time.window_s
    while width / 2 >= 2 ** known[0][0] / 2 * (1 - 1e-9) and len(found) < _MOST_HALVINGS:
        found.append(_between(known, math.log2(width)))
        width /= 2
    return found


def _filled(divisions: HalvingDivisions) -> list[float]:
    """By class of count from 2 on, without gaps."""
    classes = [int(math.log2(least)) - 1 for least in divisions.from_requests]
    values = divisions.unevenness
    return [
        values[min(range(len(classes)), key=lambda i: abs(classes[i] - want))]
        for want in range(classes[-1] + 1)
    ]


def _between(known: list[tuple[float, list[float]]], x: float) -> list[float]:
    index = next((i for i, (at, _) in enumerate(known) if at >= x), len(known) - 1)
    upper_at, upper = known[index]
    lower_at, lower = known[max(index - 1, 0)]
    part = 1.0 if upper_at == lower_at else min(1.0, max(0.0, (x - lower_at) / (upper_at - lower_at)))
    found = []
    for number in range(max(len(lower), len(upper))):
        low, high = (of[min(number, len(of) - 1)] for of in (lower, upper))
        found.append(round(min(1.0, max(-1.0, low + part * (high - low))), 6))
    return found


def stay(description: Description, parts: list[dict[str, Any]]) -> float:
    """Mean requests before the direction is drawn again, so that as many as in the trace repeat the last.

    With the share p of reads, draws alone repeat p^2 + (1-p)^2; with p by phase, on average over requests.
    """
    repeats = description.direction_repeats
    changes = total = 0.0
    for part in parts:
        if part["shares"] is not None:
            weight = part["factor"] * part["length_s"]
            total += weight
            reads = math.fsum(s for name, s in part["shares"].items() if name.startswith("reads")) / 100
            changes += weight * 2 * reads * (1 - reads)
    if repeats is None or repeats >= 1 or total <= 0 or changes <= 0:
        return 1.0
    return max(1.0, changes / total / (1 - repeats))


# Sizes that a mix lists at most; rarer ones go to the nearest of these.
_SIZES: Final = 256


def document(
    description: Description,
    classes: Mapping[str, Description],
    tuned: FitParameters,
    name: str | None = None,
) -> dict[str, Any]:
    """The profile of a trace of one device.

    Args:
        description, classes: Of the whole trace, and of the requests of each class of sizes (see
            `iowatt.evaluate.fit.build`).
        tuned: What is found by iteration.
    """
    count, span_s = description.requests.count, description.span.duration_s
    streams = [
        _stream(description, of, tuned, way, suffix)
        for suffix, of in classes.items()
        for way in WAYS
        if getattr(of.requests, way)
    ]
    parts = phases(description, classes)
    reach = max(
        (stream["access"]["extents"][-1] + 1) * stream["access"]["extent"] + _largest(stream)
        for stream in streams
    )
    return {
        "schema": PROFILE_SCHEMA,
        "name": name or _slug(description.file),
        "title": f"Fitted to {_shown(description.file)}: {count:,} requests over {span_s:,.6g} s",
        "notes": [
            "fitted by `iowatt trace fit`; the synthetic trace repeats after "
            f"{span_s:,.6g} s of phases, with other random numbers"
        ],
        # Ends of ranges are cut to whole MiB.
        "span": -(-reach >> 20) << 20,
        "arrivals": {
            "law": "cascade",
            "rate": count / span_s,
            "window_s": description.over_time.window_s,
            "stay": stay(description, parts),
            "unevenness": unevenness(description),
        },
        "stream": streams,
        "phase": parts,
        "source": [
            {
                "figures": ["arrivals", "stream.*", "phase.*", "span"],
                "quality": "measured",
                "text": f"{_shown(description.file)}, by the description of `iowatt trace profile`",
            }
        ],
    }


def check(description: Description) -> None:
    """Refuse what cannot be fitted.

    Raises ``InputError``: the trace has several devices, no requests, or no length.
    """
    devices = description.devices
    if devices.count > 1:
        names = ", ".join(volume.name for volume in devices.listed[:4])
        message = f"the trace has {devices.count} devices ({names}), each with an address space of its own"
        hint = f"fit one at a time: `device={devices.listed[0].name}`"
        raise InputError("ambiguous", description.file, message, hint=hint)
    count, span_s = description.requests.count, description.span.duration_s
    if count < 2 or span_s <= 0:
        raise InputError("empty", description.file, f"{count} requests over {span_s:g} s give no rate to fit")


def _largest(stream: dict[str, Any]) -> int:
    return max(int(row["size"]) for key in ("read_sizes", "write_sizes") for row in stream.get(key, []))


def _stream(
    description: Description, of: Description, tuned: FitParameters, way: str, suffix: str
) -> dict[str, Any]:
    one = way[:-1]
    extent, places = density(of)
    near, jumps = tuned.near()
    numbers = sorted(places[way])
    return {
        "name": way + suffix,
        "share": 100 * getattr(of.requests, way) / description.requests.count,
        "read_share": 100 if way == "reads" else 0,
        f"{one}_sizes": mix(of.sizes.histogram, way),
        "align": alignment(of),
        "access": {
            "pattern": "density",
            "extent": extent,
            "extents": numbers,
            "weights": [places[way][number] for number in numbers],
            "runs": runs(getattr(of.sequential, f"{one}_runs")),
            "stick": 100 * tuned.stick,
            "near": 100 * near,
            "jumps": jumps,
            "block": description.options.block_bytes,
            "reuse": tuned.depths(description, one),
            "fresh": 100 * tuned.fresh(one),
        },
    }


def mix(histogram: SizeHistogram, way: str) -> list[dict[str, Any]]:
    """The sizes of a direction with their shares in percent, the rarest joined to their neighbours."""
    counts = {
        size: count for size, count in zip(histogram.bytes, getattr(histogram, way), strict=True) if count
    }
    kept = sorted(sorted(counts, key=lambda size: -counts[size])[:_SIZES])
    joined = dict.fromkeys(kept, 0)
    for size, count in counts.items():
        joined[size if size in joined else min(kept, key=lambda k: abs(k - size))] += count
    total = math.fsum(joined.values())
    return [{"size": size, "share": 100 * count / total} for size, count in joined.items()]


def _shown(file: str) -> str:
    """The name of a file in a title, which is one line of text."""
    return "".join(character if character.isprintable() else " " for character in Path(file).name)


def _slug(file: str) -> str:
    stem = re.sub(r"(\.(gz|zst|xz|csv|parquet|trace|txt|log))+$", "", Path(file).name.lower())
    slug = re.sub(r"[^a-z0-9.]+", "-", stem).strip("-.")[:64].strip("-.")
    return slug or "fitted"


_HEAD: Final = """\
# Fitted by `iowatt trace fit`. Its tables are measured or found by iteration; read them with
# docs/models/workload.md, "Fitting". To change the load, change [arrivals] rate.
"""
_CASCADE: Final = """\
# A window's requests are divided between its halves, those between theirs, and so on. One row for each
# halving, the widest windows first; in a row, by the number of requests divided: 2 to 3, 4 to 7, ..."""
_ACCESS: Final = """\
# extents and weights: numbers of extents that are used, and requests of the trace that began in each.
# runs: lengths of sequential runs, by share of the runs. jumps, reuse, fresh: where runs begin that do
# not go by the weights alone."""
_PHASE: Final = """\
# The course of the trace, window by window: rate over the mean rate, and shares of the streams in percent."""


def toml(profile: dict[str, Any]) -> str:
    """The document as text: one line for a phase, one for a list."""
    lines = [_HEAD.rstrip()]
    lines += [f"{key} = {inline(profile[key])}" for key in ("schema", "name", "title", "notes")]
    lines.append(f'span = "{profile["span"]}B"')
    law = profile["arrivals"]
    lines += ["", "[arrivals]", f'law = "{law["law"]}"', f"rate = {inline(law['rate'])}"]
    lines += [f'window = "{_number(law["window_s"])}s"', f"stay = {inline(law['stay'])}", _CASCADE]
    lines += ["unevenness = [", *(f"    {inline(row)}," for row in law["unevenness"]), "]"]
    for number, stream in enumerate(profile["stream"]):
        lines += ["", "[[stream]]"]
        lines += [f"{key} = {inline(value)}" for key, value in stream.items() if key != "access"]
        lines += ["[stream.access]", *([_ACCESS] if number == 0 else [])]
        lines += [f"{key} = {inline(value)}" for key, value in stream["access"].items()]
    lines += ["", _PHASE]
    for number, phase in enumerate(profile["phase"]):
        lines += ["[[phase]]", f'name = "p{number + 1}"', f'duration = "{_number(phase["length_s"])}s"']
        lines.append(f"factor = {inline(phase['factor'])}")
        if phase["shares"] is not None:
            lines.append(f"shares = {inline(phase['shares'])}")
    for source in profile["source"]:
        lines += ["", "[[source]]", *(f"{key} = {inline(value)}" for key, value in source.items())]
    return "\n".join(lines) + "\n"


def inline(value: Any) -> str:
    """A value as TOML, on one line; numbers with nine digits."""
    return toml_writer.inline(value, _number)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}" if value >= 1e-4 else f"{value:.9f}"

"""A description into a profile document: plain values, as TOML has them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base import toml_writer
from iowatt.base.errors import InputError
from iowatt.evaluate.fit import rate_profile, space
from iowatt.evaluate.fit.calibrate import FitParameters
from iowatt.model.profile.profile import PROFILE_SCHEMA
from iowatt.trace.description import Description, SizeHistogram

# Sizes that a mix lists at most; rarer ones go to the nearest of these.
_SIZES: Final = 256


def document(
    description: Description,
    classes: Mapping[str, Description],
    tuned: FitParameters,
    name: str | None = None,
) -> dict[str, Any]:
    """The profile of a trace of one device.

    Parameters
    ----------
    description, classes
        Of the whole trace, and of the requests of each class of sizes (see `iowatt.evaluate.fit.sizes`).
    tuned
        What is found by iteration.
    """
    count, span_s = description.requests.count, description.span.duration_s
    streams = [
        _stream(description, of, tuned, way, suffix)
        for suffix, of in classes.items()
        for way in rate_profile.WAYS
        if getattr(of.requests, way)
    ]
    parts = rate_profile.phases(description, classes)
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
            f"{span_s:,.6g} s of phases, with other random numbers",
        ],
        # Ends of ranges are cut to whole MiB.
        "span": -(-reach >> 20) << 20,
        "arrivals": {
            "law": "cascade",
            "rate": count / span_s,
            "window_s": description.over_time.window_s,
            "stay": rate_profile.stay(description, parts),
            "unevenness": rate_profile.unevenness(description),
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

    Raises
    ------
    InputError
        The trace has several devices, no requests, or no length.
    """
    devices = description.devices
    if devices.count > 1:
        names = ", ".join(volume.name for volume in devices.listed[:4])
        raise InputError(
            "ambiguous",
            description.file,
            f"the trace has {devices.count} devices ({names}), each with an address space of its own",
            hint=f"fit one at a time: `device={devices.listed[0].name}`",
        )
    count, span_s = description.requests.count, description.span.duration_s
    if count < 2 or span_s <= 0:
        raise InputError("empty", description.file, f"{count} requests over {span_s:g} s give no rate to fit")


def _largest(stream: dict[str, Any]) -> int:
    return max(int(row["size"]) for key in ("read_sizes", "write_sizes") for row in stream.get(key, []))


def _stream(description: Description, of: Description, tuned: FitParameters, way: str, suffix: str) -> dict[str, Any]:
    one = way[:-1]
    extent, places = space.density(of)
    near, jumps = tuned.near()
    numbers = sorted(places[way])
    return {
        "name": way + suffix,
        "share": 100 * getattr(of.requests, way) / description.requests.count,
        "read_share": 100 if way == "reads" else 0,
        f"{one}_sizes": mix(of.sizes.histogram, way),
        "align": space.alignment(of),
        "access": {
            "pattern": "density",
            "extent": extent,
            "extents": numbers,
            "weights": [places[way][number] for number in numbers],
            "runs": space.runs(getattr(of.sequential, f"{one}_runs")),
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

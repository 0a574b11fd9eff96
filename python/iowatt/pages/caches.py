"""What ``iowatt cache`` shows: miss-ratio curves of policies, and the hits of every cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from iowatt.evaluate.caches import CacheComparison, SimulatedCache
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Spec, Table, axis
from iowatt.render.headline import Headline

_Key = Literal["hit_ratio", "hit_bytes_ratio"]

_MIB: Final = 1024.0**2
_DASHES: Final = ("solid", "dash", "dot", "dashdot")


class _Size(Column):
    """Sizes that span decades."""

    def show(self, cell: Cell) -> str:
        return numbers.significant(cell, 4) if isinstance(cell, float) else super().show(cell)


def document(found: CacheComparison) -> Document:
    """The document of simulated caches."""
    name = "standard input" if found.trace == "-" else Path(found.trace).name
    several = len({cache.slots for cache in found.caches}) > 1
    drawn = _curve if several else _bars
    by_requests = drawn(found, "requests", "hit_ratio", "A request misses where any of its blocks does.")
    by_bytes = drawn(found, "bytes", "hit_bytes_ratio", "A byte misses where its block does.")
    return Document(
        key="caches",
        kind="caches",
        title=name,
        meta=_meta(found),
        verdict=list(_verdict(found)),
        chart=by_requests,
        headlines=list(_headlines(found)),
        sections=[
            Section("caches", "All caches", [_all(found)]),
            Section("bytes", "Miss ratio by bytes", [by_bytes]),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _meta(found: CacheComparison) -> str:
    requests, passed = found.requests, found.warm_up.requests_passed
    parts = [
        numbers.counted(requests.all, "request"),
        f"{numbers.percent(requests.read / requests.all)} reads",
        f"footprint {_footprint(found)}",
        *([f"after a warm-up of {passed:,} requests"] if passed else []),
    ]
    return " · ".join(parts)


def _footprint(found: CacheComparison) -> str:
    if found.block_bytes is None or found.footprint_bytes is None:
        return numbers.counted(found.footprint, "object")
    blocks = numbers.counted(found.footprint, "block")
    return f"{numbers.binary(found.footprint_bytes)} in {blocks} of {numbers.binary(found.block_bytes)}"


def _verdict(found: CacheComparison) -> Iterator[str]:
    """Which policy hits most, at the largest size and at the smallest one."""
    slots = sorted({cache.slots for cache in found.caches}, reverse=True)
    for size in dict.fromkeys((slots[0], slots[-1])):
        best = _best([cache for cache in found.caches if cache.slots == size], "hit_ratio")
        yield (
            f"{best.asked.title} of {_size(best)} hits {numbers.percent(best.hit_ratio)} of the requests and "
            f"{numbers.percent(best.hit_bytes_ratio)} of the bytes"
            + (", the most of its size." if len(found.caches) > len(slots) else ".")
        )


def _best(caches: list[SimulatedCache], key: _Key) -> SimulatedCache:
    return max(caches, key=lambda cache: (getattr(cache, key) or 0.0, -cache.slots))


def _headlines(found: CacheComparison) -> Iterator[Headline]:
    requests, moved = found.requests, found.bytes
    share = 100 * requests.read / requests.all
    yield Headline(
        "reads", "Reads", share, "%", f"of requests; {numbers.percent(moved.read / moved.all)} of bytes"
    )
    if found.block_bytes is None or found.footprint_bytes is None:
        yield Headline("footprint", "Objects touched", found.footprint, "", "different ones")
    else:
        blocks = numbers.counted(found.footprint, "block")
        yield Headline("footprint", "Footprint", found.footprint_bytes, "B", blocks)
    of_requests, of_bytes = _best(found.caches, "hit_ratio"), _best(found.caches, "hit_bytes_ratio")
    yield Headline(
        "hits", "Most hits, requests", 100 * (of_requests.hit_ratio or 0.0), "%", _which(of_requests)
    )
    yield Headline(
        "hit-bytes", "Most hits, bytes", 100 * (of_bytes.hit_bytes_ratio or 0.0), "%", _which(of_bytes)
    )


def _which(cache: SimulatedCache) -> str:
    return f"{cache.asked.title} of {_size(cache)}"


def _size(cache: SimulatedCache) -> str:
    if cache.size_bytes is None:
        return numbers.counted(cache.slots, "object")
    return numbers.binary(cache.size_bytes)


def _in_unit(cache: SimulatedCache) -> float:
    """MiB, or objects."""
    return cache.slots if cache.size_bytes is None else cache.size_bytes / _MIB


def _unit(found: CacheComparison) -> str:
    return "objects" if found.block_bytes is None else "MiB"


def _missed(cache: SimulatedCache, key: _Key) -> float | None:
    """A miss ratio in percent."""
    hit: float | None = getattr(cache, key)
    return None if hit is None else 100 * (1 - hit)


def _curve(found: CacheComparison, kind: str, key: _Key, caption: str) -> Figure:
    """Miss ratio over size, a line for each policy."""
    lines: dict[str, dict[float, float | None]] = {}
    for cache in found.caches:
        lines.setdefault(cache.asked.title, {})[_in_unit(cache)] = _missed(cache, key)
    sizes = sorted({size for line in lines.values() for size in line})
    unit = _unit(found)
    rows: list[list[Cell]] = [
        [round(size) if unit == "objects" else size, *(line.get(size) for line in lines.values())]
        for size in sizes
    ]
    data = [
        plot.line(
            sorted(line), [line[size] for size in sorted(line)], name=name, colour=_colour(at), marks=True,
            dash=_dash(at), width=2,
            hover=f"%{{x:,.4~r}} {unit}: %{{y:.4~r}} %<extra>%{{fullData.name}}</extra>",
        )
        for at, (name, line) in enumerate(lines.items())
    ]  # fmt: skip
    spec: Spec = plot.chart(
        data,
        axis(f"Cache size ({unit}, log scale)", type="log"),
        axis("Miss ratio (%)", rangemode="tozero"),
        showlegend=True,
    )
    columns = [_Size("Cache", unit), *(Column(name, "%") for name in lines)]
    return Figure(f"miss-{kind}", f"Miss ratio by {kind}", caption, Table(columns, rows), spec, wide=True)


def _bars(found: CacheComparison, kind: str, key: _Key, caption: str) -> Figure:
    """Miss ratio of each policy, at one size."""
    rows: list[list[Cell]] = [[cache.asked.title, _missed(cache, key)] for cache in found.caches]
    data = [
        plot.bar(
            [row[1] for row in rows], [row[0] for row in rows], name="Miss ratio", colour=palette.BAR,
            hover="%{y}: %{x:.4~r} %<extra></extra>", orientation="h",
        )
    ]  # fmt: skip
    spec: Spec = plot.chart(
        data,
        axis("Miss ratio (%)", rangemode="tozero"),
        axis("", type="category", autorange="reversed"),
        showlegend=False,
    )
    columns = [Column("Policy", text=True), Column("Miss ratio", "%")]
    return Figure(f"miss-{kind}", f"Miss ratio by {kind}", caption, Table(columns, rows), spec)


def _all(found: CacheComparison) -> Figure:
    """Hit ratios of every cache, reads and writes apart."""
    shares = any(cache.size.endswith("%") for cache in found.caches)
    columns = [
        Column("Policy", text=True), _Size("Size", _unit(found)),
        *([Column("Asked", text=True, rank=1)] if shares else []),
        Column("Hits", "%"), Column("Hit bytes", "%"), Column("Reads", "%", rank=2),
        Column("Read bytes", "%", rank=3), Column("Writes", "%", rank=2), Column("Write bytes", "%", rank=3),
        Column("Slots", rank=4), Column("Evictions", rank=4),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for cache in found.caches:
        ratios = (
            cache.hit_ratio, cache.hit_bytes_ratio, cache.read_hit_ratio, cache.read_hit_bytes_ratio,
            cache.write_hit_ratio, cache.write_hit_bytes_ratio,
        )  # fmt: skip
        size: Cell = cache.slots if cache.size_bytes is None else _in_unit(cache)
        rows.append(
            [
                cache.asked.title, size, *([cache.size] if shares else []),
                *(None if ratio is None else 100 * ratio for ratio in ratios),
                cache.slots, cache.evictions,
            ]
        )  # fmt: skip
    caption = "Hit ratios of all requests, of reads and of writes; evictions include those of the warm-up."
    return Figure("caches", "All caches", caption, Table(columns, rows), wide=True, brief=True)


def _colour(at: int) -> str:
    return palette.RUNS[at % len(palette.RUNS)]


def _dash(at: int) -> str:
    return _DASHES[at // len(palette.RUNS) % len(_DASHES)]

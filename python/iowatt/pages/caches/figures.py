"""Figures of caches alone: miss-ratio curves by requests and by bytes, each policy a line."""

from __future__ import annotations

from typing import Any, Final

from iowatt.model.scenario import cache_policies
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Spec, Table, axis, layout

Found = dict[str, Any]

_MIB: Final = 1024.0**2
_DASHES: Final = ("solid", "dash", "dot", "dashdot")
_KINDS: Final = (
    ("requests", "hit_ratio", "A request misses where any of its blocks does."),
    ("bytes", "hit_bytes_ratio", "The bytes of requests that lie in blocks that miss."),
)


def title(cache: Found) -> str:
    """The policy of a cache as a reader sees it."""
    return cache_policies.Policy(cache["policy"], tuple(cache["parameters"].items())).title


def figures(found: Found) -> list[Figure]:
    """All of them."""
    several = len({cache["slots"] for cache in found["caches"]}) > 1
    drawn = [(_curve if several else _bars)(found, kind, key, what) for kind, key, what in _KINDS]
    return [*drawn, all_caches(found)]


def size_of(cache: Found) -> float:
    """MiB, or objects."""
    size: float = cache["slots"] if cache["size_bytes"] is None else cache["size_bytes"] / _MIB
    return size


def unit_of(found: Found) -> str:
    """What sizes are in."""
    return "objects" if found["block_bytes"] is None else "MiB"


def missed(cache: Found, key: str) -> float | None:
    """A miss ratio in percent."""
    hit = cache[key]
    return None if hit is None else 100 * (1 - hit)


def _curve(found: Found, kind: str, key: str, what: str) -> Figure:
    lines: dict[str, dict[float, float | None]] = {}
    for cache in found["caches"]:
        lines.setdefault(title(cache), {})[size_of(cache)] = missed(cache, key)
    sizes = sorted({size for line in lines.values() for size in line})
    unit = unit_of(found)
    rows: list[list[Cell]] = [
        [round(size) if unit == "objects" else size, *(line.get(size) for line in lines.values())]
        for size in sizes
    ]
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": sorted(line),
            "y": [line[size] for size in sorted(line)],
            "line": {"color": _colour(at), "width": 2, "dash": _dash(at)},
            "hovertemplate": f"%{{x:,.4~r}} {unit}: %{{y:.4~r}} %<extra>%{{fullData.name}}</extra>",
        }
        for at, (name, line) in enumerate(lines.items())
    ]
    spec: Spec = {
        "data": data,
        "layout": layout(
            axis(f"Cache ({unit}, log scale)", type="log"),
            axis("Miss ratio (%)", rangemode="tozero"),
            showlegend=True,
        ),
    }
    columns = [Column("Cache", unit), *(Column(name, "%") for name in lines)]
    return Figure(f"miss-{kind}", f"Miss ratio by {kind}", what, Table(columns, rows), spec, [], wide=True)


def _bars(found: Found, kind: str, key: str, what: str) -> Figure:
    rows: list[list[Cell]] = [[title(cache), missed(cache, key)] for cache in found["caches"]]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": "Miss ratio",
            "y": [row[0] for row in rows],
            "x": [row[1] for row in rows],
            "marker": {"color": palette.BAR},
            "hovertemplate": "%{y}: %{x:.4~r} %<extra></extra>",
        }
    ]
    spec: Spec = {
        "data": data,
        "layout": layout(
            axis("Miss ratio (%)", rangemode="tozero"),
            axis("", type="category", autorange="reversed"),
            showlegend=False,
        ),
    }
    columns = [Column("Policy", text=True), Column("Miss ratio", "%")]
    return Figure(f"miss-{kind}", f"Miss ratio by {kind}", what, Table(columns, rows), spec)


def all_caches(found: Found) -> Figure:
    """Hit ratios of every cache, reads and writes apart."""
    keys = [f"{way}{key}" for way in ("", "read_", "write_") for key in ("hit_ratio", "hit_bytes_ratio")]
    rows: list[list[Cell]] = [
        [
            title(cache),
            size_of(cache) if cache["size_bytes"] is not None else cache["slots"],
            cache["slots"],
            *(None if cache[key] is None else 100 * cache[key] for key in keys),
            cache["evictions"],
        ]
        for cache in found["caches"]
    ]
    names = [f"{way}, {of}" for way in ("Hits", "Reads", "Writes") for of in ("requests", "bytes")]
    columns = [
        Column("Policy", text=True),
        Column("Cache", unit_of(found)),
        Column("Slots"),
        *(Column(name, "%") for name in names),
        Column("Evictions"),
    ]
    return Figure(
        "caches",
        "All caches",
        "Hit ratios of all requests, of reads and of writes; evictions count the warm-up too.",
        Table(columns, rows),
        wide=True,
    )


def _colour(at: int) -> str:
    return palette.RUNS[at % len(palette.RUNS)]


def _dash(at: int) -> str:
    return _DASHES[at // len(palette.RUNS) % len(_DASHES)]

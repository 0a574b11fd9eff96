"""Address laws: where in its range a stream's requests go."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from iowatt.base.quantity import BlockSize, Percent
from iowatt.base.strict import Strict, key

DEFAULT_EXTENT: Final = 1 << 20


def _pattern(text: str) -> Any:
    return key(f"The address law. {text}")


def _extent(what: str) -> Any:
    return key(
        f"Bytes of {what}; inside it every aligned place is equally likely.",
        default=DEFAULT_EXTENT,
        unit="bytes",
        gt=0,
        example="1MiB",
    )


def _order() -> Any:
    return key(
        "Where the extents lie. scattered: in a pseudo-random order that the seed gives; ascending: the "
        "hottest (or first used) at the start of the range.",
        default="scattered",
        example="ascending",
    )


Order = Literal["scattered", "ascending"]


class Sequential(Strict):
    """Each request begins where the last one of its cursor ended."""

    pattern: Literal["sequential"] = _pattern(
        "sequential: each request begins where the one before it ended; a range that ends begins again."
    )
    streams: int = key(
        "Cursors that walk the range independently.", default=1, within=(1, 1 << 20), example=8
    )
    run: BlockSize | None = key(
        "Mean bytes of a run (geometric); after it the cursor goes on at a uniformly drawn place.",
        unset="a run ends at the end of the range only",
        gt=0,
        example="1MiB",
    )
    turn: float = key(
        "Mean number of requests of one cursor before the next one's turn.", default=1.0, ge=1, example=4
    )
    begin: Literal["start", "spread", "random"] = key(
        "Where cursors begin. start: all at the start of the range; spread: evenly over it; random: at drawn "
        "places.",
        default="spread",
        example="random",
    )

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {
            "pattern": "sequential",
            "cursors": self.streams,
            "run_bytes": None if self.run is None else float(self.run),
            "turn_requests": self.turn,
            "begin": self.begin,
        }


class Uniform(Strict):
    """Every aligned place is equally likely."""

    pattern: Literal["uniform"] = _pattern("uniform: every aligned place of the range is equally likely.")

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"pattern": "uniform"}


class Zipf(Strict):
    """Extents by Zipf's law."""

    pattern: Literal["zipf"] = _pattern(
        "zipf: the extent of rank i is drawn with a probability proportional to 1/i^exponent."
    )
    exponent: float = key("The exponent.", gt=0, le=20, example=0.99)
    extent: BlockSize = _extent("an extent")
    order: Order = _order()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        extent = {"extent_bytes": self.extent, "order": self.order}
        return {"pattern": "zipf", "exponent": self.exponent, **extent}


class Skew(Strict):
    """The skew law of storage sizing."""

    pattern: Literal["skew"] = _pattern(
        "skew: the hottest fraction c of the range takes the share 1-(1-c)^k of the requests."
    )
    k: float = key("The law's k: 1 is uniform, 3.5 is 70/30, 7 is 80/20.", within=(1, 10_000), example=7)
    extent: BlockSize = _extent("an extent")
    order: Order = _order()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"pattern": "skew", "k": self.k, "extent_bytes": self.extent, "order": self.order}


class HotBand(Strict):
    """vdbench's hot band."""

    pattern: Literal["hot-band"] = _pattern(
        "hot-band: vdbench's, by its fixed curve; the range is the band, hottest at its start, and nothing "
        "beyond 1.3132 TB of it is read."
    )

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"pattern": "hot-band"}


class HierarchicalReuse(Strict):
    """A random walk on the leaves of a tree."""

    pattern: Literal["hierarchical-reuse"] = _pattern(
        "hierarchical-reuse: a walk on the leaves of a tree; from the last one up a random number of levels, "
        "and down to any leaf below."
    )
    climb: Percent = key("Chance, in percent, to climb one more level before descending.", lt=100, example=50)
    leaf: BlockSize = key("Bytes of a leaf.", default=4096, gt=0, example="4KiB")
    fanout: int = key("Children of a node.", default=2, within=(2, 1 << 16), example=2)

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {
            "pattern": "hierarchical-reuse",
            "leaf_bytes": self.leaf,
            "climb": self.climb / 100,
            "fanout": self.fanout,
        }


class Hit(Strict):
    """A point of a curve of hits."""

    cache: BlockSize = key("Size of an LRU cache of the stream's blocks.", gt=0, example="64MiB")
    share: Percent = key("Share of requests that hit it, cumulative.", example=40)


class ReuseDistance(Strict):
    """Reuse distances that a curve of hits gives."""

    pattern: Literal["reuse-distance"] = _pattern(
        "reuse-distance: an LRU stack whose depths follow a curve of hits; what no cache of the curve would "
        "hit goes to a block not used before."
    )
    block: BlockSize = key("Bytes of a block.", default=4096, gt=0, example="4KiB")
    hits: list[Hit] = key(
        "Points of the curve: sizes of an LRU cache, rising, and the share of requests that hit each.",
        min_length=1,
        max_length=10_000,
    )
    order: Order = _order()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {
            "pattern": "reuse-distance",
            "block_bytes": self.block,
            "hits": [{"blocks": hit.cache // self.block, "fraction": hit.share / 100} for hit in self.hits],
            "order": self.order,
        }


class RunLength(Strict):
    """Runs of one length."""

    requests: float = key("Mean requests of a run.", ge=1, lt=1e15, example=16)
    share: Percent = key("Share of the runs.", gt=0, example=2)


class Jump(Strict):
    """Jumps of a range of lengths."""

    least: int = key("Shortest, bytes; backward where negative.", unit="bytes", example=-8192)
    below: int = key("All are shorter than this, bytes; of the same sign.", unit="bytes", example=-16384)
    share: Percent = key("Share of the jumps.", gt=0, example=12)


class Depth(Strict):
    """Reuse at a range of depths."""

    least: int = key("Least depth, from 1: the block used last.", ge=1, lt=1 << 40, example=1)
    most: int = key("Greatest depth.", ge=1, lt=1 << 40, example=8)
    share: Percent = key("Share of the runs.", gt=0, example=5)


class Density(Strict):
    """Extents by measured weights, with runs and near jumps."""

    pattern: Literal["density"] = _pattern(
        "density: a run begins in an extent drawn by its weight, or near the end of the one before it; its "
        "requests follow one another."
    )
    extent: BlockSize = _extent("an extent")
    extents: list[Annotated[int, Field(ge=0)]] = key(
        "Numbers of the extents that are used, from the start of the range.",
        min_length=1,
        max_length=1 << 16,
        example=[0, 3, 4],
    )
    weights: list[Annotated[float, Field(ge=0)]] = key(
        "Their weights.", min_length=1, max_length=1 << 16, example=[12, 5, 90]
    )
    runs: list[RunLength] = key(
        "Lengths of runs; shares add up to 100.", default=[], unset="each request is a run", max_length=4096
    )
    stick: Percent = key(
        "Requests that go on with the run of the one before them while it has more; the others begin a run, "
        "or go on with one that was left.",
        default=100.0,
        example=60,
    )
    near: Percent = key(
        "Share of runs that begin at a jump from where the last one ended.", default=0.0, example=20
    )
    jumps: list[Jump] = key("Those jumps; shares add up to 100.", default=[], max_length=4096)
    block: BlockSize = key("Block of reuse.", default=4096, ge=512, example="4KiB")
    reuse: list[Depth] = key(
        "Runs that begin at a place that any stream used before, by its depth in the stack of last uses.",
        default=[],
        max_length=4096,
    )
    fresh: Percent = key(
        "Runs that begin at a place not used before; those neither here nor under reuse begin by the "
        "weights alone.",
        default=0.0,
        example=5,
    )

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {
            "pattern": "density",
            "extent_bytes": self.extent,
            "extents": self.extents,
            "weights": self.weights,
            "runs": [{"requests": run.requests, "weight": run.share} for run in self.runs],
            "stick": self.stick / 100,
            "near": self.near / 100,
            "jumps": [
                {
                    "forward": jump.below > 0,
                    "from_bytes": abs(jump.least),
                    "below_bytes": abs(jump.below),
                    "weight": jump.share,
                }
                for jump in self.jumps
            ],
            "block_bytes": self.block,
            "reuse": [
                {"from_blocks": row.least, "to_blocks": row.most, "fraction": row.share / 100}
                for row in self.reuse
            ],
            "fresh": self.fresh / 100,
        }


Access = Annotated[
    Sequential | Uniform | Zipf | Skew | HotBand | HierarchicalReuse | ReuseDistance | Density,
    Field(discriminator="pattern"),
]

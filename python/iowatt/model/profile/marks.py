"""Where the figures of a profile come from, and how far they may be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal

from iowatt.base.strict import Strict, key

Quality = Literal["measured", "published", "verified", "derived", "defined", "assumed", "recalled"]


class Source(Strict):
    """One publication or method, and the figures that it stands for."""

    figures: list[str] = key(
        "Key paths of the figures, such as `stream.hot1.share` or `stream.*.sizes`; a table stands for all "
        "in it.",
        min_length=1,
        example=["stream.*.sizes"],
    )
    quality: Quality = key(
        "measured: counted in a trace; published: read in the publication; verified: checked by running it; "
        "derived: computed from such figures; defined: a choice that makes the profile what it is; assumed: "
        "ours, nobody published it; recalled: from memory, unverified."
    )
    text: str = key("The publication, trace or method.", min_length=1)

    def covers(self, figure: str) -> int:
        """How exactly this source names ``figure``: the length of the path that does, or 0."""
        return max((len(path) for path in self.figures if _covers(path, figure)), default=0)


class Missing(Strict):
    """A figure that nobody published: the profile is of use only with it given."""

    figure: str = key("Key path of the figure.", min_length=1, example="arrivals.rate")
    why: str = key("What is known of it, and why it is not here.", min_length=1)


def _covers(path: str, figure: str) -> bool:
    wanted, steps = path.split("."), figure.split(".")
    pairs = zip(wanted, steps, strict=False)
    return len(wanted) <= len(steps) and all(fnmatchcase(step, want) for want, step in pairs)


def source_of(sources: Iterable[Source], figure: str) -> Source | None:
    """The source of a figure by its key path; the most specific one, the first among equals."""
    best = max(sources, key=lambda source: source.covers(figure), default=None)
    return best if best is not None and best.covers(figure) else None

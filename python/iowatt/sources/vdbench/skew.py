"""``skew.html``: which share of the requests each workload was to have, and had."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from iowatt.sources.observation import Share
from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.text import Start

# Where a workload's line has its rate and its mean response time: WD, i/o rate, MB/sec, bytes i/o, read pct.
_RATE, _RESPONSE, _LEAST_WORDS = 1, 5, 9


@dataclass
class Skew:
    """The shares of one run; none where it had one workload."""

    start: Start
    shares: list[Share] = field(default_factory=list)
    uncontrolled: bool = False  #: Whether it ran as fast as it could, so that shares mean nothing.


def read(path: Path) -> list[Skew]:
    """The shares of all runs, in the file's order.

    Raises ``InputError`` where a workload's line has no shares.
    """
    found: list[Skew] = []
    inside = False
    for line in text.lines(path):
        begun = text.start(line)
        if begun is not None:
            found.append(Skew(begun))
            inside = False
            continue
        words = line.text.split()
        if words and text.time_of_day(words[0]) is not None:
            words = words[1:]
        if not words:
            inside = False
        elif words[0] == "WD:":
            inside = "requested" in words
        elif "This was an Uncontrolled MAX run" in line.text and found:
            found[-1].uncontrolled = True
        elif inside and words[0] == "Total":
            inside = False
        elif inside and found:
            shares = [word for word in words[1:] if word.endswith("%")]
            if len(shares) < 2:
                raise line.error("damaged", "the row has no two shares in percent")
            asked, observed = (text.number(share.rstrip("%"), line) for share in shares[:2])
            if asked is not None and observed is not None:
                iops, response_ms = _figures(words, line)
                response_s = None if response_ms is None else response_ms / 1e3
                found[-1].shares.append(Share(words[0], asked, observed, iops, response_s))
    return found


def _figures(words: list[str], line: text.Line) -> tuple[float | None, float | None]:
    """Requests per second and mean response time in ms of a workload's line, where it has all columns."""
    if len(words) < _LEAST_WORDS:
        return None, None
    return text.number(words[_RATE], line), text.number(words[_RESPONSE], line)

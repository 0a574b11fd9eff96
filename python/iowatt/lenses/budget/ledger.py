"""The table `hops` as arrays: of a class of requests, what each hop took in each bin of the response time.

Every nanosecond between the arrival of a request at the host and its completion belongs to one hop, waiting
or in service; a request is in one bin. So means over any set of bins add up to the mean response time of the
requests in them, and the table alone shows what slow requests are made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.lenses.budget.result import HopName
from iowatt.run.tables import HOPS, PLACES

if TYPE_CHECKING:
    import polars as pl

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NS_PER_MS: Final = 1e6


@dataclass(frozen=True)
class RequestMeans:
    """Some of the requests of a class: how many (a share of a bin counts as such), and their means in ms."""

    requests: float
    #: Of each hop.
    waiting_ms: Floats
    service_ms: Floats

    @property
    def response_ms(self) -> float:
        """Mean response time: the sum over the hops."""
        return float(self.waiting_ms.sum() + self.service_ms.sum())

    def scaled_to(self, response_ms: float) -> RequestMeans:
        """The same shares of another response time."""
        own = self.response_ms
        factor = response_ms / own if own > 0 else 0.0
        return RequestMeans(self.requests, self.waiting_ms * factor, self.service_ms * factor)


@dataclass(frozen=True)
class Ledger:
    """A class of requests. ``workload`` is None and ``op`` ``all`` where several are merged.

    Bins ascend; ``waiting_ns`` and ``service_ns`` are sums over the requests of a bin, [hop, bin]. Hops are
    in the order of the way from the host to the media and back.
    """

    path: str
    workload: str | None
    op: str
    hops: tuple[HopName, ...]
    low_ns: Numbers
    high_ns: Numbers
    requests: Numbers
    waiting_ns: Numbers
    service_ns: Numbers

    @property
    def total(self) -> int:
        """Requests of the class."""
        return int(self.requests.sum())

    @property
    def name(self) -> str:
        """``oltp write``; of merged classes ``all``."""
        return self.op if self.workload is None else f"{self.workload} {self.op}"

    def mean(self) -> RequestMeans:
        """All of them."""
        return self.ranks(0.0, float(self.total))

    def ranks(self, first: float, last: float) -> RequestMeans:
        """Those with ranks between two numbers of requests, from the fastest on.

        Of a bin that lies partly within, that share of its requests, which are taken to be alike.
        """
        ends = np.cumsum(self.requests).astype(float)
        inside = np.clip(np.minimum(ends, last) - np.maximum(ends - self.requests, first), 0.0, None)
        count = float(inside.sum())
        share = inside / self.requests
        per_request = NS_PER_MS * count if count > 0 else math.inf
        return RequestMeans(
            count, self.waiting_ns @ share / per_request, self.service_ns @ share / per_request
        )

    def slowest(self, share: float) -> RequestMeans:
        """The slowest share of the requests, one at least."""
        beyond = max(1.0, share * self.total)
        return self.ranks(self.total - beyond, float(self.total))

    def around(self, quantile: float) -> RequestMeans:
        """Requests around a quantile: as many as lie beyond it, half of them on either side.

        One at least; where there are not enough on one side, more of the other.
        """
        width = max(1.0, (1 - quantile) * self.total)
        first = min(max(0.0, quantile * self.total - width / 2), max(0.0, self.total - width))
        return self.ranks(first, first + width)

    def outside(self) -> int:
        """Bins whose hops do not add up to a response time within them; 0 where the table is right."""
        sums = self.waiting_ns.sum(axis=0) + self.service_ns.sum(axis=0)
        wrong = (sums < self.low_ns * self.requests) | (sums > self.high_ns * self.requests)
        return int(wrong.sum())


def of_frame(hops: pl.DataFrame, where: str = "hops") -> list[Ledger]:
    """The classes of a table `hops`, in its order; none of an empty one.

    Raises ``InputError`` where columns or values are missing, and where hops disagree about the number of
    requests in a bin.
    """
    missing = [name for name in HOPS if name not in hops.columns]
    if missing or any(hops.select(HOPS.keys()).null_count().row(0)):
        raise InputError(
            "damaged",
            where,
            f"the table of hops lacks {', '.join(missing) if missing else 'values'}",
            hint="run the scenario again",
        )
    keys = ["path", "workload", "op"]
    found = []
    for (path, workload, op), rows in hops.group_by(keys, maintain_order=True):
        found.append(_ledger(str(path), str(workload), str(op), rows, where))
    return [ledger for ledger in found if ledger.total]


def _ledger(path: str, workload: str, op: str, rows: pl.DataFrame, where: str) -> Ledger:
    import polars as pl

    listed = [
        HopName(**row) for row in rows.select("hop", "place", "way").unique(maintain_order=True).to_dicts()
    ]
    hops = in_order(listed)
    bins = (
        rows.group_by("low_ns", "high_ns")
        .agg(pl.col("requests").max().alias("most"), pl.col("requests").min().alias("least"))
        .filter(pl.col("most") > 0)
        .sort("low_ns", "high_ns")
    )
    if bins.height and (bins["most"] != bins["least"]).any():
        raise InputError(
            "damaged",
            f"{where}: {path}: {workload}",
            "the hops of this path and workload disagree on the number of requests in a bin",
        )
    at = {key: number for number, key in enumerate(bins.select("low_ns", "high_ns").rows())}
    row = {(hop.hop, hop.place, hop.way): number for number, hop in enumerate(hops)}
    waiting, service = (np.zeros((len(hops), len(at)), dtype=np.int64) for _ in range(2))
    columns = ("hop", "place", "way", "low_ns", "high_ns", "wait_ns", "service_ns")
    for name, place, way, low, high, wait_ns, service_ns in rows.select(columns).iter_rows():
        if (low, high) in at:
            cell = row[name, place, way], at[(low, high)]
            waiting[cell] += wait_ns
            service[cell] += service_ns
    low_ns, high_ns, requests = (_whole(bins[column]) for column in ("low_ns", "high_ns", "most"))
    return Ledger(path, workload, op, hops, low_ns, high_ns, requests, waiting, service)


def _whole(column: pl.Series) -> Numbers:
    return column.to_numpy().astype(np.int64)


def in_order(hops: Iterable[HopName]) -> tuple[HopName, ...]:
    """Hops from the host to the media and back; those of one place as listed, on the way back in reverse."""
    listed = list(dict.fromkeys(hops))

    def key(at: int) -> tuple[int, int]:
        hop = listed[at]
        depth = PLACES.index(hop.place) if hop.place in PLACES else PLACES.index("storage")
        return (2 * len(PLACES) - depth, -at) if hop.way == "in" else (depth, at)

    return tuple(listed[at] for at in sorted(range(len(listed)), key=key))


def _as_listed(hops: Sequence[HopName]) -> list[HopName]:
    """Hops in order as a table lists them: those of the way back from the host side on."""
    return [hop for hop in hops if hop.way != "in"] + [hop for hop in reversed(hops) if hop.way == "in"]


def merged(ledgers: Sequence[Ledger]) -> Ledger:
    """Several classes of one path as one."""
    if len(ledgers) == 1:
        return ledgers[0]
    hops = in_order(hop for ledger in ledgers for hop in _as_listed(ledger.hops))
    bins = sorted({pair for one in ledgers for pair in _bins(one)})
    at, row = ({key: number for number, key in enumerate(keys)} for keys in (bins, hops))
    requests = np.zeros(len(bins), dtype=np.int64)
    waiting, service = (np.zeros((len(hops), len(bins)), dtype=np.int64) for _ in range(2))
    for one in ledgers:
        columns = [at[pair] for pair in _bins(one)]
        requests[columns] += one.requests
        cells = np.ix_([row[hop] for hop in one.hops], columns)
        waiting[cells] += one.waiting_ns
        service[cells] += one.service_ns
    workloads = {one.workload for one in ledgers}
    low, high = (np.array([pair[end] for pair in bins], dtype=np.int64) for end in (0, 1))
    same = workloads.pop() if len(workloads) == 1 else None
    return Ledger(ledgers[0].path, same, "all", hops, low, high, requests, waiting, service)


def _bins(ledger: Ledger) -> list[Any]:
    return list(zip(ledger.low_ns.tolist(), ledger.high_ns.tolist(), strict=True))


def classes(ledgers: Sequence[Ledger]) -> list[Ledger]:
    """The classes of each path, and before them all of them together where there are several."""
    found = []
    for path in dict.fromkeys(ledger.path for ledger in ledgers):
        mine = [ledger for ledger in ledgers if ledger.path == path]
        found += [merged(mine), *mine] if len(mine) > 1 else mine
    return found

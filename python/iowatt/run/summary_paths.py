"""Paths from hosts to the array in ``run.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from pydantic import Field

from iowatt.run.record_paths import HopCounts, PathCounts
from iowatt.run.summary_part import Part


class PathQueue(Part):
    """The host's queue in front of a path."""

    depth: int | None = Field(description="Commands outstanding of a lane at most; null: no limit.")
    held: int = Field(description="Requests that waited because so many were outstanding.")
    wait_mean_ms: float | None = Field(description="Over all requests; null without any.")


class PathHop(Part):
    """A station of a path, in the order in which a request passes them on its way out."""

    hop: str
    place: Literal["host", "fabric", "port"]
    way: Literal["out", "in", ""] = Field(
        description="Away from the host or towards it; empty where both directions use the same station."
    )
    visits: int = Field(description="Commands, messages and bursts of data.")
    utilisation: float | None = Field(description="Busy share of its servers; null where it only takes time.")
    wait_mean_ms: float | None
    service_mean_ms: float | None


class PathExpress(Part):
    """Writes of a size class that the target port answers ready by itself."""

    up_to_bytes: int
    buffers: int = Field(description="Of the target port of a lane.")
    taken: int = Field(description="Writes that took one.")
    refused: int = Field(description="Writes that found none free, and went to the controller first.")


class Path(Part):
    """A path from hosts to the array, its lanes together, within the window."""

    name: str
    protocol: str
    workloads: list[str]
    lanes: int
    queue: PathQueue
    hops: list[PathHop]
    express: list[PathExpress]
    not_express: int | None = Field(description="Writes of no such class; null where there is none.")


def paths(counted: Sequence[PathCounts], span_s: float) -> list[Path] | None:
    """What paths did in a window of ``span_s``; None without any."""
    return [_path(one, span_s) for one in counted] or None


def _path(path: PathCounts, span_s: float) -> Path:
    return Path(
        name=path.name,
        protocol=path.protocol,
        workloads=list(path.workloads),
        lanes=path.lanes,
        queue=PathQueue(
            depth=path.queue_depth,
            held=path.queue_held,
            wait_mean_ms=_mean_ms(path.queue_wait_s, path.queue_visits),
        ),
        hops=[_hop(hop, span_s) for hop in path.hops],
        express=[PathExpress.model_validate(asdict(one)) for one in path.express],
        not_express=path.not_express,
    )


def _hop(hop: HopCounts, span_s: float) -> PathHop:
    offered_s = hop.servers * span_s
    return PathHop.model_validate(
        {
            "hop": hop.hop,
            "place": hop.place,
            "way": hop.way,
            "visits": hop.visits,
            "utilisation": hop.busy_s / offered_s if offered_s > 0 else None,
            "wait_mean_ms": _mean_ms(hop.wait_s, hop.visits),
            "service_mean_ms": _mean_ms(hop.busy_s, hop.visits),
        }
    )


def _mean_ms(sum_s: float, count: int) -> float | None:
    return sum_s / count * 1e3 if count else None

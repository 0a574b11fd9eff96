"""What clusters did, as tables: kinds of nodes with the range over their nodes, uplinks, placement, moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table, text_columns
from iowatt.render.headline import Headline

Titled = tuple[str, Table]


def headlines(summary: Mapping[str, Any]) -> Iterator[Headline]:
    """The fan-out of each cluster, and how busy its busiest cores and links are."""
    for cluster in summary.get("clusters") or ():
        nodes = cluster["nodes"]
        requests = sum(node["requests"] for node in nodes)
        if not requests:
            continue
        operations = sum(node["operations"] for node in nodes)
        ports = [node[port] for node in nodes for port in ("front", "back") if node[port]]
        busy = {
            "cores": [node["utilisation"] for node in nodes],
            "ports": [share for port in ports for share in _busy(port)],
            "uplinks": [share for link in cluster["uplinks"] for share in _busy(link)],
        }
        most = [f"{what} {numbers.percent(max(shares))}" for what, shares in busy.items() if shares]
        ratio = operations / requests
        remark = f"drive operations per request; busiest {', '.join(most)}"
        name = cluster["name"]
        yield Headline(f"fan-out-{name}", f"Fan-out, {name}", ratio, "", remark, numbers.significant(ratio))


def tables(summary: Mapping[str, Any]) -> Iterator[Titled]:
    """Titled tables of each cluster of a Run."""
    for cluster in summary.get("clusters") or ():
        name = cluster["name"]
        yield f"Nodes of {name}", _nodes(cluster["nodes"], summary["window"]["duration_s"])
        if cluster["uplinks"]:
            yield f"Uplinks of {name}", _uplinks(cluster["uplinks"])
        yield f"Placement of {name}", _placement(cluster["pools"])
        moves = [(pool["name"], move) for pool in cluster["pools"] for move in pool["moves"]]
        if moves:
            yield f"Moves of {name}", _moves(moves)


def _nodes(nodes: Sequence[Mapping[str, Any]], span_s: float) -> Table:
    """A row for each kind: the mean over its nodes, and from the least to the most."""
    rows: list[list[Cell]] = []
    for kind in dict.fromkeys(node["kind"] for node in nodes):
        mine = [node for node in nodes if node["kind"] == kind]
        ports = [(port, node[port]) for node in mine for port in ("front", "back") if node[port]]
        rows.append(
            [
                kind, len(mine), _range([node["requests"] for node in mine], span_s),
                _range([node["operations"] for node in mine], span_s),
                _shares([node["utilisation"] for node in mine]),
                _drives([node["drives"] for node in mine if node.get("drives")]),
                _shares([max(_busy(port)) for which, port in ports if which == "front" and _busy(port)]),
                _shares([max(_busy(port)) for which, port in ports if which == "back" and _busy(port)]),
            ]
        )  # fmt: skip
    columns = [Column("Kind", text=True), Column("Nodes")]
    titles = (
        "Requests/s of one", "Drive operations/s", "Cores busy", "Drives busy", "Front port busy",
        "Back port busy",
    )  # fmt: skip
    return Table([*columns, *(Column(title, text=True) for title in titles)], rows)


def _drives(ranges: Sequence[Mapping[str, Any]]) -> str:
    count = sum(one["count"] for one in ranges)
    if not count:
        return numbers.NO_VALUE
    mean = sum(one["mean"] * one["count"] for one in ranges) / count
    least, most = min(one["least"] for one in ranges), max(one["most"] for one in ranges)
    return _between(mean, least, most, numbers.percent)


def _busy(port: Mapping[str, Any]) -> list[float]:
    return [port[key] for key in ("utilisation_in", "utilisation_out") if port[key] is not None]


def _range(counts: Sequence[int], span_s: float) -> str:
    if not span_s:
        return numbers.NO_VALUE
    rates = [count / span_s for count in counts]
    return _between(sum(rates) / len(rates), min(rates), max(rates), numbers.significant)


def _shares(shares: Sequence[float]) -> str:
    if not shares:
        return numbers.NO_VALUE
    return _between(sum(shares) / len(shares), min(shares), max(shares), numbers.percent)


def _between(mean: float, least: float, most: float, show: Any) -> str:
    shown = show(mean)
    return shown if show(least) == show(most) else f"{shown} ({show(least)} to {show(most)})"


def _uplinks(uplinks: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[list[Cell]] = [
        [
            f"rack {number}", numbers.with_unit(link["bytes_in"], "B"), _share(link["utilisation_in"]),
            numbers.with_unit(link["bytes_out"], "B"), _share(link["utilisation_out"]),
        ]
        for number, link in enumerate(uplinks)
    ]  # fmt: skip
    shown = rows if len(rows) <= _MOST else sorted(rows, key=lambda row: str(row[4]))[:_MOST]
    return Table(text_columns("Uplink", "In", "Busy in", "Out", "Busy out"), shown)


_MOST = 24
"""Rows of racks that a table shows; run.json has them all."""


def _share(share: float | None) -> str:
    return numbers.NO_VALUE if share is None else numbers.percent(share)


def _placement(pools: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[list[Cell]] = [
        [
            pool["name"], pool["redundancy"], pool["failure_domain"], pool["drives"], pool["members"],
            f"{pool['least_of_drive']:,} to {pool['most_of_drive']:,}",
        ]
        for pool in pools
    ]  # fmt: skip
    columns = [Column(title, text=True) for title in ("Pool", "Redundancy", "Failure domain")]
    columns += [Column("Drives"), Column("Members of placement groups")]
    return Table([*columns, Column("Members of a drive", text=True)], rows)


def _moves(moves: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    rows: list[list[Cell]] = [
        [
            pool, move["node"], numbers.duration(move["at_s"]),
            numbers.NO_VALUE if move["finished_s"] is None else numbers.duration(move["finished_s"]),
            f"{move['moved']:,} of {move['members']:,}", numbers.with_unit(move["moved_bytes"], "B"),
        ]
        for pool, move in moves
    ]  # fmt: skip
    return Table(text_columns("Pool", "Node", "From", "Finished", "Members moved", "Bytes"), rows[:100])

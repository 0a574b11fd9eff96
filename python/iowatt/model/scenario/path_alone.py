"""How long one request takes on an idle path, in nanoseconds, by the equations of docs/models/path.md.

The simulator must give the same with one request outstanding and an array that takes no time.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.model.scenario.resolved import ResolvedPath
from iowatt.model.scenario.result import CheckedPath, TimeAlone

OUT, IN = 0, 1


def alone(plan: Mapping[str, Any], size: int, *, write: bool) -> int:
    """Nanoseconds from a request's arrival at the host to its completion.

    ``plan`` is a path of a plan's ``simulation``, ``size`` the bytes that are read or written.
    """
    exchange, way = plan["exchange"], _Lane(plan)
    now = way.adapter("submit_s", 0)
    response = exchange["response_bytes"]
    if write:
        now = _written(plan, way, size, now)
        own = exchange.get("write_response_bytes")
        response = response if own is None else own
        now = way.send(IN, 0, response, now, behind=True)
    else:
        now = way.send(OUT, exchange["command_bytes"], 0, now)
        now += nanoseconds(plan["port"]["command_s"])
        now = way.send(IN, size, response, now, behind=True)
    return way.adapter("complete_s", now)


def _written(plan: Mapping[str, Any], way: _Lane, size: int, now: int) -> int:
    """When the data of a write is at the array."""
    exchange = plan["exchange"]
    port = nanoseconds(plan["port"]["command_s"])
    most = exchange["unsolicited_bytes"]
    sent = 0 if exchange["whole_only"] and size > most else min(size, most)
    fast = exchange.get("fast_write_hop") if sent < size else None
    until = None if fast is None else fast + 1
    now = way.send(OUT, exchange["command_bytes"], sent, now, hops=until)
    if fast is None:
        now += port
    while sent < size:
        burst = size - sent if fast is not None else min(size - sent, exchange["burst_bytes"] or size)
        now = way.adapter("ready_s", way.send(IN, 0, exchange["ready_bytes"], now, hops=until))
        now = way.send(OUT, 0, burst, now)
        sent += burst
    return now if fast is None else now + port


class _Lane:
    """The adapter and the wires of a lane; wires know when they are free of the request's own messages."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self.host = plan["host"]
        self.hops = plan["hops"]
        self.segment = plan.get("segment_bytes")
        self.free = [[0, 0] for _ in self.hops]
        self.sent = [[0, 0] for _ in self.hops]
        #: When the credits that frames have taken return.
        self.returns: list[list[deque[int]]] = [[deque(), deque()] for _ in self.hops]

    def adapter(self, what: str, now: int) -> int:
        return now if self.host is None else now + nanoseconds(self.host[what])

    def send(
        self, way: int, first: int, second: int, now: int, *, hops: int | None = None, behind: bool = False
    ) -> int:
        """When the last bit of a message of two parts is there; ``behind``: the first part is the data."""
        data, small = (first, second) if behind else (second, first)
        if self.segment is None or data <= self.segment or not self.hops:
            return self._pass(way, (first, second), now, hops)[1]
        left, tail = data, now
        while left:
            piece = min(left, self.segment)
            with_it = small if (left == piece if behind else left == data) else 0
            left -= piece
            now, tail = self._pass(way, (piece, with_it) if behind else (with_it, piece), now, hops)
        return tail

    def _pass(self, way: int, parts: tuple[int, int], now: int, hops: int | None) -> tuple[int, int]:
        """When the first wire is free again, and when the last bit is there."""
        head = tail = now
        passed = range(len(self.hops) if hops is None else hops)
        sender: int | None = None
        for number in passed if way == OUT else reversed(passed):
            hop = self.hops[number]
            latency = nanoseconds(hop["latency_s"])
            started = max(head, self.free[number][way])
            if way == IN and hops is not None and hops < len(self.hops):
                # A hop that answers instead of the array takes no credit for its few bytes.
                free = started + transmission(hop, parts)
            else:
                started, free = _by_credit(hop, parts, started, self.returns[number][way])
            self.free[number][way] = free
            sender = free if sender is None else sender
            first, last = _frames(hop, parts) if hop["whole_frames"] else (0, 0)
            self.sent[number][way] = max(free, max(tail, self.sent[number][way]) + last)
            head, tail = started + first + latency, self.sent[number][way] + latency
        return now if sender is None else sender, tail


def _by_credit(
    hop: Mapping[str, Any], parts: tuple[int, ...], at: int, returns: deque[int]
) -> tuple[int, int]:
    """When messages begin and end that find a wire free ``at``; a frame waits for a buffer credit."""
    most = hop.get("credits")
    if most is None:
        return at, at + transmission(hop, parts)
    started, ended, so_far = at, at, 0
    for number, frame in enumerate(_frames_of(hop, parts)):
        begun = max(ended, returns.popleft() if len(returns) == most else 0)
        started = begun if number == 0 else started
        ended = begun + _time(hop, so_far + frame) - _time(hop, so_far)
        so_far += frame
        returns.append(ended + 2 * nanoseconds(hop["latency_s"]))
    return started, ended


def _frames_of(hop: Mapping[str, Any], parts: tuple[int, ...]) -> Iterator[int]:
    """Bytes on the wire of each frame."""
    payload, overhead = hop["frame_payload_bytes"], hop["frame_wire_bytes"] - hop["frame_payload_bytes"]
    for part in parts:
        for first in range(0, part, payload):
            yield min(part - first, payload) + overhead


def transmission(hop: Mapping[str, Any], parts: tuple[int, ...]) -> int:
    """Nanoseconds that messages take on a wire, each in frames of its own."""
    return _time(hop, sum(_wire_bytes(hop, part) for part in parts))


def nanoseconds(seconds: float) -> int:
    """Whole nanoseconds, as the simulator has them."""
    return math.floor(seconds * 1e9 + 0.5)


def _wire_bytes(hop: Mapping[str, Any], message: int) -> int:
    payload = hop["frame_payload_bytes"]
    return int(message + -(-message // payload) * (hop["frame_wire_bytes"] - payload))


def _time(hop: Mapping[str, Any], count: int) -> int:
    rate = hop["bytes_per_s"]
    return 0 if rate is None else math.floor(count * (1e9 / rate) + 0.5)


def _frames(hop: Mapping[str, Any], parts: tuple[int, int]) -> tuple[int, int]:
    """Time of the first frame and of the last one."""
    there = [part for part in parts if part]
    if not there:
        return 0, 0
    payload = hop["frame_payload_bytes"]
    first, last = min(there[0], payload), (there[-1] - 1) % payload + 1
    return _time(hop, _wire_bytes(hop, first)), _time(hop, _wire_bytes(hop, last))


_SIZES: Final = (8 * 1024, 64 * 1024)
"""Requests whose time on an idle path is shown, bytes."""


def describe_path(path: ResolvedPath) -> CheckedPath:
    """Times in seconds, rates in bytes a second."""
    names, plan = path.names, path.plan
    hops = zip(names["hops"], names["kinds"], names["parts"], plan["hops"], strict=True)
    return CheckedPath(
        **{key: names[key] for key in ("name", "protocol", "workloads", "hba")},
        **{key: plan[key] for key in ("queue_depth", "lanes", "host", "port", "exchange")},
        hops=[
            {"name": name, "kind": kind, "part": part, **hop, "payload_bytes_per_s": _payload_rate(hop)}
            for name, kind, part, hop in hops
        ],
        alone=[
            TimeAlone(
                size=size,
                read_s=alone(plan, size, write=False) * 1e-9,
                write_s=alone(plan, size, write=True) * 1e-9,
            )
            for size in _SIZES
        ],
    )


def _payload_rate(hop: Mapping[str, Any]) -> float | None:
    """Data bytes a second in full frames, by the rate and by the buffer credits."""
    rate = hop["bytes_per_s"]
    if rate is None:
        return None
    data = float(rate * hop["frame_payload_bytes"] / hop["frame_wire_bytes"])
    if hop.get("credits") is None:
        return data
    round_trip = hop["frame_wire_bytes"] / rate + 2 * hop["latency_s"]
    return float(min(data, hop["credits"] * hop["frame_payload_bytes"] / round_trip))

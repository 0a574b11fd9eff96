"""The hops of a path in numbers: links and switches of the library with what a scenario changes, and the
protocol's frames on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from iowatt.model.library.fabric import (
    AdapterFigures,
    AdapterFile,
    LinkFigures,
    LinkFile,
    Medium,
    ProtocolFile,
    SwitchFigures,
    SwitchFile,
    part_of,
)
from iowatt.model.scenario.keys.path import AdapterChoice, HopKeys, LinkChoice, SwitchChoice

OWN_FRAME: Final = 2048
"""Payload of a frame where a link of a scenario's own does not say."""

GLASS: Final = 5e-6
"""Seconds that light takes over a kilometre of fibre: a refractive index of 1.5."""


@dataclass(frozen=True)
class HopInNumbers:
    """A hop of a plan, and what it is called and is."""

    name: str
    place: str
    kind: str
    part: str | None
    bytes_per_s: float | None
    payload: int
    wire: int
    latency: float
    whole_frames: bool = False
    credits: int | None = None

    def plan(self) -> dict[str, Any]:
        """``HopPlan`` of iowatt-sim."""
        return {
            "bytes_per_s": self.bytes_per_s,
            "frame_payload_bytes": self.payload,
            "frame_wire_bytes": self.wire,
            "latency_s": self.latency,
            "whole_frames": self.whole_frames,
            **({} if self.credits is None else {"credits": self.credits}),
        }


@dataclass(frozen=True)
class Frames:
    """What a full frame of a link carries of a protocol's messages, and what it takes on the wire."""

    payload: int
    wire: int


def link(choice: LinkChoice) -> LinkFigures:
    """Its figures; raises ``InputError`` where the library has no such link."""
    return choice if choice.name is None else _changed(part_of(LinkFile, choice.name), choice)


def switch(choice: SwitchChoice) -> SwitchFigures:
    """Its figures; raises ``InputError`` where the library has no such switch."""
    return choice if choice.name is None else _changed(part_of(SwitchFile, choice.name), choice)


def adapter(choice: AdapterChoice) -> AdapterFigures:
    """Its figures; raises ``InputError`` where the library has no such adapter.

    A table that gives times of its own takes the place of the file's requests a second, and the other way
    round.
    """
    if choice.name is None:
        return choice
    known = part_of(AdapterFile, choice.name)
    if choice.submit is not None or choice.complete is not None:
        known = known.model_copy(update={"iops": None})
    elif choice.iops is not None:
        known = known.model_copy(update={"submit": None, "complete": None})
    return _changed(known, choice)


_Figures = TypeVar("_Figures", LinkFigures, SwitchFigures, AdapterFigures)


def _changed(known: _Figures, choice: _Figures) -> _Figures:
    changes = {name: getattr(choice, name) for name in choice.model_fields_set if name != "name"}
    return known.model_copy(update=changes)


def frames(figures: LinkFigures, protocol: ProtocolFile) -> Frames | None:
    """A full frame of a link; None where the protocol's headers leave no room for data."""
    overhead = figures.overhead or 0
    frame = OWN_FRAME if figures.frame is None else figures.frame
    if figures.medium != "ethernet":
        return Frames(frame, frame + overhead)
    payload = frame - protocol.headers
    if protocol.payloads:
        payload = max((one for one in protocol.payloads if one <= payload), default=0)
    return Frames(payload, payload + protocol.headers + overhead) if payload > 0 else None


def link_hop(hop: HopKeys, name: str, figures: LinkFigures, frames: Frames) -> HopInNumbers:
    """A link of its length."""
    per_km = GLASS if figures.delay_per_km is None else figures.delay_per_km
    assert hop.link is not None and figures.rate is not None  # seen to before
    return HopInNumbers(
        name=name,
        place="fabric",
        kind="link",
        part=hop.link.name,
        bytes_per_s=figures.rate,
        payload=frames.payload,
        wire=frames.wire,
        latency=hop.latency + (figures.latency or 0.0) + hop.distance / 1000 * per_km,
        credits=hop.credits,
    )


def switch_hop(hop: HopKeys, name: str, figures: SwitchFigures) -> HopInNumbers:
    """A switch: a latency. The adjacent links carry the time of store-and-forward."""
    assert hop.switch is not None
    latency = hop.latency + (figures.latency or 0.0)
    return HopInNumbers(name, "fabric", "switch", hop.switch.name, None, OWN_FRAME, OWN_FRAME, latency)


def storing(passed: list[HopInNumbers], stores: set[int]) -> list[HopInNumbers]:
    """The hops; on links next to storing switches (by number) a whole frame arrives before it goes on."""
    adjacent: set[int] = set()
    for switch in stores:
        before = [at for at in range(switch) if passed[at].kind == "link"]
        after = [at for at in range(switch + 1, len(passed)) if passed[at].kind == "link"]
        adjacent.update((*before[-1:], *after[:1]))
    return [replace(hop, whole_frames=at in adjacent) for at, hop in enumerate(passed)]


def delay_hop(name: str, latency: float, place: str = "fabric", part: str | None = None) -> HopInNumbers:
    """A hop that takes time and never makes anyone wait."""
    return HopInNumbers(name, place, "delay", part, None, OWN_FRAME, OWN_FRAME, latency)


def data_rate_hop(name: str, rate: float, part: str | None) -> HopInNumbers:
    """The data that an adapter moves a second, each way."""
    return HopInNumbers(name, "host", "adapter", part, rate, OWN_FRAME, OWN_FRAME, 0.0)


def hop_names(hops: list[HopKeys]) -> list[str]:
    """Names of hops: their own, or that of their part, numbered where several have the same part."""
    plain = [hop.name or _part(hop) for hop in hops]
    taken = {hop.name for hop in hops if hop.name is not None}
    counts = Counter(plain)
    seen: Counter[str] = Counter()
    names = []
    for hop, called in zip(hops, plain, strict=True):
        name = called
        if hop.name is None and (counts[name] > 1 or name in taken):
            seen[name] += 1
            while f"{name}-{seen[name]}" in taken:
                seen[name] += 1
            name = f"{name}-{seen[name]}"
        names.append(name)
    return names


def _part(hop: HopKeys) -> str:
    if hop.link is not None:
        return hop.link.name or "link"
    if hop.switch is not None:
        return hop.switch.name or "switch"
    return "delay"


def media(figures: LinkFigures | SwitchFigures | AdapterFigures, protocol: ProtocolFile) -> Medium | None:
    """The medium of a part that the protocol does not go over; None where it goes."""
    medium = figures.medium
    return None if medium is None or medium in protocol.medium else medium

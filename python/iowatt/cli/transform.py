"""What `iowatt trace convert` may do to a trace, from the words of the command line to a trace spec."""

from __future__ import annotations

from typing import Any

END_TO_END = "end-to-end"


def transformations(
    *,
    more: list[str],
    spread: str | None,
    seed: int,
    append: bool,
    clock: str,
    start: str | None,
    end: str | None,
    speed: float | None,
    split: str | None,
    max_transfer: str | None,
    place: list[str],
    place_align: str,
    clones: int = 1,
    stretch: int = 1,
    span: str | None = None,
) -> dict[str, Any]:
    """The keys of a trace spec (see `iowatt.trace.open.spec`) that the options mean.

    Raises
    ------
    InputError
        Naming the option that is wrong and what it accepts.
    """
    from iowatt.base.errors import Argument, InputError

    if clock not in ("recorded", "start"):
        message = f"{clock!r} is not accepted; expected recorded or start"
        raise InputError("not-accepted", Argument("clock"), message)
    if not more and (append or clock != "recorded"):
        name = Argument("append" if append else "clock")
        raise InputError("not-applicable", name, "applies to several traces, and one is given")
    copied = clones != 1 or stretch != 1 or span is not None
    options: dict[str, Any] = {
        "spread_s": None if spread is None else seconds(spread, "spread"),
        "seed": seed if spread is not None or copied else None,
        "from_s": None if start is None else seconds(start, "start"),
        "to_s": None if end is None else seconds(end, "end"),
        "speed": speed,
        "split_bytes": None if split is None else block_size(split, "split"),
        "max_transfer_bytes": None if max_transfer is None else block_size(max_transfer, "max_transfer"),
        "place": _place(place, place_align) if place else None,
        "copies": _copies(clones, stretch, span) if copied else None,
    }
    if more:
        align = "clock" if clock == "recorded" else "start"
        options |= {"more": more, "combine": "append" if append else "merge", "align": align}
    return {name: value for name, value in options.items() if value is not None}


def _copies(clones: int, stretch: int, span: str | None) -> dict[str, Any]:
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_capacity

    for name, number in (("clones", clones), ("stretch", stretch)):
        if not 1 <= number <= 2**20:
            raise InputError("out-of-range", Argument(name), f"expected 1 to 2^20, not {number}")
    copies: dict[str, Any] = {"clones": clones, "stretch": stretch}
    if span is not None:
        try:
            copies["span_bytes"] = parse_capacity(span)
        except InputError as error:
            raise error.at(Argument("span")) from None
    return copies


def block_size(text: str, name: str) -> int:
    """The argument ``name``, a size, in bytes."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_block_size

    try:
        size = parse_block_size(text)
    except InputError as error:
        raise error.at(Argument(name)) from None
    if not 0 < size < 1 << 32:
        raise InputError("out-of-range", Argument(name), "must be at least 1 byte and under 4GiB")
    return size


def seconds(text: str, name: str) -> float:
    """The argument ``name``, a time, in seconds."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_duration

    try:
        return parse_duration(text)
    except InputError as error:
        raise error.at(Argument(name)) from None


def _place(wheres: list[str], align: str) -> dict[str, Any]:
    from iowatt.base.errors import Argument, InputError

    align_bytes = block_size(align, "place_align")
    if wheres == [END_TO_END]:
        return {"seats": [], "align_bytes": align_bytes}
    if END_TO_END in wheres:
        message = f"{END_TO_END} means all devices; name no others beside it"
        raise InputError("conflict", Argument("place"), message)
    return {"seats": [_seat(where) for where in wheres], "align_bytes": align_bytes}


def _seat(where: str) -> dict[str, Any]:
    """``DEVICE=VOLUME``, ``DEVICE=@OFFSET`` or ``DEVICE=VOLUME@OFFSET``; a device's name may hold ``=``."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_capacity

    device, separator, spot = where.rpartition("=")
    volume, at, offset = spot.partition("@")
    if not (separator and device and (volume or (at and offset))) or (at and not offset):
        raise InputError(
            "bad-syntax",
            Argument("place", where),
            f"expected {END_TO_END}, DEVICE=VOLUME, DEVICE=@OFFSET or DEVICE=VOLUME@OFFSET, such as hm.0=db "
            "or hm.1=@100GiB",
        )
    seat: dict[str, Any] = {"device": device}
    if volume:
        seat["volume"] = volume
    if at:
        try:
            seat["offset"] = parse_capacity(offset)
        except InputError as error:
            raise error.at(Argument("place", where)) from None
    return seat

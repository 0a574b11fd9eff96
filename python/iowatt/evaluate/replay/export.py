"""An NBD export as the target of a replay. It is written to only where it was named twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.replay.target import ReplayTarget

_SCHEMES: Final = ("nbd://", "nbd+unix://")
#: Transmission flags of the NBD protocol.
_READ_ONLY: Final = 1 << 1
_MULTI_CONN: Final = 1 << 8


def is_export(target: str) -> bool:
    """Whether a target is the URI of an NBD export."""
    return target.startswith(_SCHEMES)


@contextlib.contextmanager
def ready(
    uri: str,
    *,
    size: int | None,
    erase: str | None,
    writes: bool,
    connections: int = 1,
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[ReplayTarget]:
    """The export, ready for requests. Arguments as those of :func:`iowatt.evaluate.replay.target.ready`.

    Raises ``InputError``: it must be named twice, cannot be reached, is read-only, is smaller than ``size``,
    or takes one connection only.
    """
    from iowatt import core
    from iowatt.base.units import format_bytes

    if erase is not None and erase != uri:
        message = f"names {erase}, and the target is {uri}"
        raise InputError("conflict", Argument("erase"), message, hint="name the target")
    export = core.nbd_export(uri)
    capacity = export["size"]
    content = format_bytes(capacity, binary=True)
    if writes and export["flags"] & _READ_ONLY:
        raise InputError("not-accepted", uri, "the export is read-only, and the trace writes")
    if writes and erase is None:
        message = f"is an export of {content}, and the trace's writes would overwrite what is on it"
        hint = f"if it may be erased, name it again: `erase={uri}`"
        raise InputError("unsafe-target", uri, message, hint=hint)
    if size is not None and capacity < size:
        message = f"{uri} has {capacity} bytes, fewer than {size}"
        raise InputError("out-of-range", Argument("size"), message)
    if connections > 1 and not export["flags"] & _MULTI_CONN:
        message = f"{uri} takes one connection: it does not offer CAN_MULTI_CONN"
        raise InputError("out-of-range", Argument("connections"), message)
    if writes:
        tell(f"writing over {uri}: {content}")
    yield ReplayTarget(
        uri, size or capacity, export["minimum"], direct=True, made=False, most=export["maximum"]
    )

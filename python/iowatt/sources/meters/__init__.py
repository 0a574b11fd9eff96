"""Power meters and thermometers: an address in, an instrument or its log out.

``address`` has the kinds of instruments and reads addresses, ``source`` finds what an address names; each
kind is a module, imported when it is needed. ``log`` holds, checks and aligns samples, ``recording`` records
live instruments, ``result`` is what ``iowatt meter`` prints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.sources.meters.address import parse, public_word, split_name
    from iowatt.sources.meters.source import find, is_live, logs, meter

__all__ = ["find", "is_live", "logs", "meter", "parse", "public_word", "split_name"]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {"address": "parse public_word split_name", "source": "find is_live logs meter"},
    )

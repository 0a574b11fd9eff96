"""Whether sizes that were read as bytes look like counts of sectors.

Only where the user's own columns or pattern say the unit: other formats define theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.trace.columns import SECTOR_BYTES

_NAMED: Final = ("csv", "parquet", "regex")


def doubt(trace: Mapping[str, Any], said: Mapping[str, Any]) -> list[str]:
    """The warning that most reads and writes are not of whole sectors.

    ``trace`` is the spec that was read, ``said`` what its reader counted; its ``format`` may name several.
    Empty where all formats define their unit.
    """
    named = [one for one in said["format"].split(", ") if one in _NAMED]
    if not named or 2 * said["partial_sectors"] <= said["reads"] + said["writes"]:
        return []
    if named == ["regex"]:
        remedy = "name that group of the pattern sectors, and lba that of offsets that count sectors too"
    else:
        header = (trace.get("columns") or {}).get("size", "size")
        shown = header if isinstance(header, int) else f'"{header}"'
        remedy = f"columns = {{ sectors = {shown} }}, and lba for an offset that counts sectors too"
    return [
        f"most sizes are not whole sectors of {SECTOR_BYTES} bytes. If they count sectors, say so: {remedy}"
    ]

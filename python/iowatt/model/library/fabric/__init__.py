"""Parts of the path between hosts and arrays: links, switches, adapters and protocols.

``parts`` reads the files of the library's folder ``fabric``; ``describe`` lists them for readers.
"""

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from
from iowatt.model.library.fabric.parts import (
    AdapterFigures,
    AdapterFile,
    LinkFigures,
    LinkFile,
    Medium,
    PathPart,
    ProtocolFile,
    SwitchFigures,
    SwitchFile,
    names,
    part_of,
)

if TYPE_CHECKING:
    from iowatt.model.library.fabric.describe import describe_part, list_parts

__all__ = [
    "AdapterFigures", "AdapterFile", "LinkFigures", "LinkFile", "Medium", "PathPart", "ProtocolFile",
    "SwitchFigures", "SwitchFile", "describe_part", "list_parts", "names", "part_of",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(__name__, {"describe": "describe_part list_parts"})

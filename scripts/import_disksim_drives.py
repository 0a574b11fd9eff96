"""Write the library's measured drives from DiskSim's parameter files, by the same code as the import verb.

    python scripts/import_disksim_drives.py FOLDER [TARGET]

FOLDER has the files as published (``disksim-format/``, ``cheetah15k5/``, ``maxtor300g/``, ``wd_4tb_g4/``);
TARGET is the library's ``devices``. Existing files are replaced.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from iowatt.model.library.disksim.convert import Imported, import_drive

LICENCE = "see licenses/COPYING.disksim and licenses/COPYRIGHT.disksim"
EXTRACTED = (
    "extracted from a real drive with DIXtrac and published with DiskSim 4.0 (Carnegie Mellon University)"
)
BY_HAND = "published with DiskSim 4.0 (Carnegie Mellon University)"
FORK = "extracted from a real drive and published in the format of DiskSim 4.0 (with COPYING.disksim)"


@dataclass(frozen=True)
class Entry:
    """A drive of the library and the file that describes it."""

    name: str
    title: str
    vendor: str
    file: str
    origin: str
    assumptions: tuple[str, ...] = ()


ENTRIES = (
    Entry(
        "quantum-atlas-10k", "Quantum Atlas 10K, 9.1 GB", "Quantum", "disksim-format/atlas10k.parv", EXTRACTED
    ),
    Entry(
        "seagate-cheetah-9lp",
        "Seagate Cheetah 9LP ST39102LW, 9.1 GB",
        "Seagate",
        "disksim-format/cheetah9LP.parv",
        EXTRACTED,
    ),
    Entry(
        "ibm-18es", "IBM Ultrastar 18ES DNES-309170W, 9.1 GB", "IBM", "disksim-format/ibm18es.parv", EXTRACTED
    ),
    Entry("hp-c2247a", "HP C2247A, 1 GB", "HP", "disksim-format/hp_c2247a.parv", BY_HAND),
    Entry(
        "hp-c2249a",
        "HP C2249A, 1.4 GB",
        "HP",
        "disksim-format/hp_c2249a.diskspecs",
        BY_HAND,
        (
            "its file says nothing of the bus: transfers to the host cost no time",
            "its overheads and buffer are those of the HP C2247A to the last digit: of the same family, not "
            "measured on it",
        ),
    ),
    Entry("hp-c2490a", "HP C2490A, 2.1 GB", "HP", "disksim-format/hp_c2490a.parv", BY_HAND),
    Entry("hp-c3323a", "HP C3323A, 1 GB", "HP", "disksim-format/hp_c3323a.parv", BY_HAND),
    Entry("dec-rz26", "DEC RZ26, 1 GB", "DEC", "disksim-format/dec_rz26.parv", BY_HAND),
    Entry(
        "seagate-st41601n",
        "Seagate ST41601N (Elite), 1.4 GB",
        "Seagate",
        "disksim-format/st41601n.parv",
        BY_HAND,
    ),
    Entry(
        "seagate-barracuda-st32171w",
        "Seagate Barracuda ST32171W, 2.1 GB",
        "Seagate",
        "disksim-format/barracuda.parv",
        EXTRACTED,
    ),
    Entry(
        "seagate-cheetah-4lp",
        "Seagate Cheetah 4LP ST34501N, 4.5 GB",
        "Seagate",
        "disksim-format/cheetah4LP.parv",
        EXTRACTED,
    ),
    Entry(
        "quantum-atlas-iii",
        "Quantum Atlas III QM39100TD-SW, 9.1 GB",
        "Quantum",
        "disksim-format/atlas_III.parv",
        EXTRACTED,
    ),
    Entry(
        "seagate-cheetah-15k5",
        "Seagate Cheetah 15K.5 ST3146855FC, 147 GB",
        "Seagate",
        "cheetah15k5/Seagate-Cheetah15k5.parv",
        FORK,
    ),
    Entry(
        "maxtor-atlas-10k-v-300gb",
        "Maxtor Atlas 10K V, 300 GB",
        "Maxtor",
        "maxtor300g/maxtor300g.parv",
        FORK,
    ),
    Entry(
        "wd-4tb-g4",
        "WD drive of 4 TB with a published G4 layout (model not named)",
        "WD",
        "wd_4tb_g4/G4_LBA_64bit_4T.diskspecs",
        FORK,
        (
            "the published layout places 7,542,225,920 of the 7,725,673,570 sectors in its block count; the "
            "drive has those",
            "its overheads are those of the Seagate Cheetah 15K.5 to the last digit: they stand in its file "
            "for figures that were not measured",
        ),
    ),
)
"""The drives, in no particular order."""


def described(entry: Entry, imported: Imported) -> Imported:
    """The imported tables with what the library knows beyond the file."""
    own = {
        "name": entry.name,
        "kind": "hdd",
        "title": entry.title,
        "vendor": entry.vendor,
        **({"assumptions": list(entry.assumptions)} if entry.assumptions else {}),
    }
    tables = {**own, **{key: value for key, value in imported.tables.items() if key not in own}}
    (source,) = tables["source"]
    text = f"{Path(entry.file).name}: {entry.origin}"
    tables["source"] = [{**source, "text": text}]
    return replace(imported, tables=tables)


def main(folder: Path, target: Path) -> None:
    """Write all entries."""
    for entry in ENTRIES:
        imported = described(entry, import_drive(folder / entry.file, name=entry.name))
        imported.drive()
        comments = [
            f"Geometry, seek curve and electronics {entry.origin}; {LICENCE}.",
            "Written by scripts/import_disksim_drives.py. Its manufacturer's power figures were not found, "
            "so there is no [power]: a scenario that uses this drive gives them itself.",
        ]
        imported.write(target / f"{entry.name}.toml", force=True, comments=comments)


if __name__ == "__main__":
    library = Path(__file__).parents[1] / "python" / "iowatt" / "library" / "devices"
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else library)

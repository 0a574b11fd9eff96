"""What is on a file or block device, said to whoever is about to have it erased."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any, Final

_LOOKED_AT: Final = 1 << 20
_WHERE: Final = "/usr/sbin:/sbin:/usr/bin:/bin"


def described(path: Path) -> str:
    """Size, model, and signatures of a file or device: ``64 MiB, ext4 "backup"``.

    Signatures of file systems, partition tables, RAID, LVM and the like are those that wipefs(8) of
    util-linux finds; of a device with partitions also on these.
    """
    from iowatt.base.units import format_bytes

    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            empty = not any(file.read(_LOOKED_AT))
    except OSError as error:
        return f"what it holds cannot be read ({error.strerror})"
    said = [format_bytes(size, binary=True)]
    parts: list[Path] = []
    found = path.stat()
    if stat.S_ISBLK(found.st_mode):
        system = Path(f"/sys/dev/block/{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}")
        said += _model(system)
        parts = sorted(Path("/dev") / part.parent.name for part in system.glob("*/partition"))
    signatures = _signatures(path)
    if signatures is None:
        said.append("what it holds is not known (wipefs of util-linux tells, and is not there)")
    elif signatures:
        said += signatures
    else:
        said.append("no signature" + (", and nothing but zeros where one would be" if empty else ""))
    for part in parts:
        said.append(f"{part}: {', '.join(_signatures(part) or ['no signature'])}")
    return "; ".join(said)


def _model(system: Path) -> list[str]:
    for device in (system / "device", system.resolve().parent / "device"):
        try:
            return [(device / "model").read_text().strip()]
        except OSError:
            continue
    return []


def _signatures(path: Path) -> list[str] | None:
    """``ext4 "backup"``, ``gpt``, ...; None where nothing can tell."""
    wipefs = shutil.which("wipefs") or shutil.which("wipefs", path=_WHERE)
    if wipefs is None:
        return None
    command = [wipefs, "--no-act", "--json", "--", str(path.absolute())]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        found: list[dict[str, Any]] = json.loads(done.stdout or b"{}").get("signatures", [])
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    names = [f'{one["type"]} "{one["label"]}"' if one.get("label") else str(one["type"]) for one in found]
    return list(dict.fromkeys(names))

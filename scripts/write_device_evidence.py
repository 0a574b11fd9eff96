"""Write model/library/evidence.toml: errors of the library's devices against what was measured of them.

    python scripts/write_device_evidence.py            # run after a change of a model or of a measured set
    python scripts/write_device_evidence.py --check    # exit 1 where the file would change

It runs all validations (traces of disks, cells of SSDs), which takes some two minutes.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from iowatt.evaluate import validation
from iowatt.evaluate.measured import validate_measured
from iowatt.model.library import BARS

TARGET = Path(__file__).parents[1] / "python/iowatt/model/library/evidence.toml"
HEAD = """\
# Errors of the library's devices against what was measured of them, simulated over measured, less one.
# Written by scripts/write_device_evidence.py from `iowatt devices validate`; do not edit.
"""
Errors = Mapping[str, Sequence[float]]


def main() -> int:
    """Write the file, or compare with it."""
    disks = (_table(device, errors) for device, errors in _disks())
    ssds = (_table(*one, reads_only=reads) for *one, reads in _ssds())
    text = HEAD + "".join((*disks, *ssds))
    if "--check" in sys.argv[1:]:
        return int(text != TARGET.read_text(encoding="utf-8"))
    TARGET.write_text(text, encoding="utf-8")
    return 0


def _table(device: str, errors: Errors, *, reads_only: bool = False) -> str:
    lines = [f"\n[{device}]\n", *(["reads_only = true\n"] if reads_only else [])]
    for figure, found in errors.items():
        within = sum(abs(error) <= BARS[figure] for error in found)
        worst, median = max(found, key=abs), statistics.median(map(abs, found))
        key = f'"{figure}"' if "." in figure else figure
        lines.append(
            f"{key} = {{ cells = {len(found)}, within = {within}, "
            f"worst = {worst:.4f}, median = {median:.4f} }}\n"
        )
    return "".join(lines)


def _ssds() -> Iterator[tuple[str, Errors, bool]]:
    """Device, errors, and whether nothing but reads was measured."""
    for device in validate_measured().devices:
        yield (
            device.device,
            {
                one.figure: [error for cell in device.cells if (error := cell.error(one.figure)) is not None]
                for one in device.checked
            },
            all(cell.op == "read" for cell in device.cells),
        )


def _disks() -> Iterator[tuple[str, Errors]]:
    """A trace is a cell for reads and one for writes, of p99.9 one for both: ten requests lie beyond it."""
    found: dict[str, dict[str, list[float]]] = {}
    for case in validation.cases(None, None, None, None):
        one = validation.validate(case)
        errors = found.setdefault(case.device, {"mean": [], "p99": [], "p99.9": []})
        for mask in (one.write, ~one.write):
            if mask.any():
                measured, simulated = one.measured_ms[mask], one.simulated_ms[mask]
                errors["mean"].append(float(simulated.mean() / measured.mean()) - 1)
                errors["p99"].append(_error(measured, simulated, 0.99))
        errors["p99.9"].append(_error(one.measured_ms, one.simulated_ms, 0.999))
    yield from found.items()


def _error(measured: validation.Times, simulated: validation.Times, share: float) -> float:
    theirs, ours = (
        float(validation.quantiles(times, np.array([share]))[0]) for times in (measured, simulated)
    )
    return ours / theirs - 1


if __name__ == "__main__":
    sys.exit(main())

"""Questions and traces of the tests of ``iowatt choose``."""

from __future__ import annotations

from pathlib import Path

from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.load import scaled_workloads

TRACE = 'trace = { path = "small.csv" }'


def question(workload: str = f"{TRACE}\np95 = '5ms'", more: str = "", usable: str = "1GiB") -> str:
    """A question with one workload, ``load``, and what else is given at its top."""
    head = f'schema = "iowatt.question/1"\nname = "small"\nusable = "{usable}"\n{more}\n'
    return f'{head}[[workload]]\nname = "load"\n{workload}\n'


def request(folder: Path, text: str):
    """The question, read from a file of ``folder``."""
    file = folder / "question.toml"
    file.write_text(text, encoding="utf-8")
    return choose_request(file)


def scaled(folder: Path, text: str, answer: Path | None = None):
    """Its workloads, scaled."""
    read = request(folder, text)
    return scaled_workloads(read.question, read.document, read.base, answer)


def written(file: Path, rows) -> Path:
    """A CSV trace of rows (time in ms, op, offset in bytes, bytes)."""
    lines = ["time_ms,op,offset,size", *(f"{at},{op},{offset},{size}" for at, op, offset, size in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def steady(folder: Path) -> Path:
    """``small.csv``: 101 reads of 4 KiB in 1 s that reach 4 MiB, so 101 a second."""
    rows = [(10 * i, "R", 40960 * i % (4 << 20), 4096) for i in range(100)]
    return written(folder / "small.csv", [*rows, (1000, "R", (4 << 20) - 4096, 4096)])

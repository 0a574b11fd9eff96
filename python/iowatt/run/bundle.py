"""A Run on disk: a directory that explains itself and that other tools can read.

    run.json        summary and provenance
    scenario.toml   as given, with any overrides listed at its end
    plan.json       as resolved: names to numbers, every default filled in
    intervals.parquet  latency.parquet  energy.parquet  devices.parquet  series.parquet  and, where asked for,
    idle.parquet and heat.parquet, where requests go by a path, hops.parquet, and where meters recorded,
    instruments.parquet

It is written aside, in ``.iowatt-partial-*`` beside its target, and renamed when complete: whatever
interrupts the writing, no half bundle carries the target's name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import InputError
from iowatt.run.summary_schema import SCHEMA, RunSummary

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.idle_spool import IdleSpool
    from iowatt.run.record import Record

TABLES = ("intervals", "latency", "energy", "devices")
#: Tables that `iowatt run` keeps on request, and the key that requests them.
_ON_REQUEST = {"idle": "observe.idle = true", "heat": "observe.heat = {}"}
#: Counts of the shortest periods beside ``idle``, where there are too many of them.
_SHORT_IDLE = ("idle_short",)
#: Tables of measured Runs with instruments.
_OF_INSTRUMENTS = ("instruments",)
#: Tables that a Run may lack, with a possible reason and what to do.
REASONS_MISSING = {
    "series": (
        "it was written by an older iowatt, or its requests have no completion times",
        "run the scenario again",
    ),
    "hops": (
        "its requests went by no path, and the time of each hop is not known",
        "add [[path]] to the scenario",
    ),
}
OPTIONAL = (*_ON_REQUEST, *_SHORT_IDLE, *_OF_INSTRUMENTS, *REASONS_MISSING)
#: Rows of a row group of a long table: what a reader holds at a time.
ROW_GROUP_ROWS = 262_144


class Run:
    """One run: its summary, its tables, and the scenario and plan that it came from.

    ``summary`` is ``run.json`` as a dictionary. Tables come as Polars frames through :meth:`table`,
    read when first asked for.
    """

    def __init__(
        self,
        *,
        summary: dict[str, Any],
        plan: dict[str, Any],
        scenario_text: str,
        tables: Mapping[str, pl.DataFrame | pl.LazyFrame] | None = None,
        idle: IdleSpool | None = None,
        path: Path | None = None,
    ) -> None:
        self.summary = summary
        self.plan = plan
        self.scenario_text = scenario_text
        #: The bundle's directory; ``None`` for a run that was not saved.
        self.path = path
        self._tables: dict[str, Any] = dict(tables or {})
        self._idle = idle

    def __repr__(self) -> str:
        return f"Run({self.name!r}, path={str(self.path)!r})" if self.path else f"Run({self.name!r})"

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return str(self.summary["name"])

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """Open a bundle.

        Raises :class:`InputError` where there is none at ``path``, where it is something else or
        damaged (with the key), or where it was written by a version of iowatt that this one cannot read.
        """
        folder = Path(path)
        if folder.name == "run.json":
            folder = folder.parent
        summary = _read_summary(folder)
        return cls(
            summary=summary,
            plan=_read_plan(folder / "plan.json", summary),
            scenario_text=input_file.text(
                folder / "scenario.toml",
                "a TOML file",
                input_file.RESULT_BYTES,
                hint="the bundle is incomplete",
            ),
            path=folder,
        )

    @classmethod
    def of(cls, record: Record, summary: dict[str, Any]) -> Run:
        """The run of a record, in memory but for what is too long for it."""
        import polars as pl

        tables = {name: getattr(record.tables, name) for name in TABLES}
        for name in ("heat", *_SHORT_IDLE, *_OF_INSTRUMENTS, *REASONS_MISSING):
            if getattr(record.tables, name) is not None:
                tables[name] = getattr(record.tables, name)
        idle = record.tables.idle
        if isinstance(idle, pl.DataFrame):
            tables["idle"], idle = idle, None
        return cls(
            summary=summary,
            plan=dict(record.plan),
            scenario_text=record.scenario_text,
            tables=tables,
            idle=idle,
        )

    def table(self, name: str) -> pl.DataFrame:
        """``intervals``, ``latency``, ``energy``, ``devices``, or one of ``OPTIONAL`` where the run has it.

        ``idle`` has a row for every idle period: :meth:`scan` reads it piece by piece.
        """
        if name in OPTIONAL:
            with self._readable(name):
                return self.scan(name).collect()
        if name not in TABLES:
            raise InputError(
                "unknown-name", None, f"a run has no table {name!r}; it has {', '.join((*TABLES, *OPTIONAL))}"
            )
        if name not in self._tables:
            self._tables[name] = self._read_table(name)
        table: pl.DataFrame = self._tables[name]
        return table

    @property
    def _place(self) -> str:
        return str(self.path) if self.path else self.name

    def _table_place(self, name: str) -> str:
        return str(self.path / f"{name}.parquet") if self.path else self.name

    def has(self, name: str) -> bool:
        """Whether the run has the table."""
        if name not in OPTIONAL:
            return name in TABLES
        kept = self._tables.get(name) is not None or (name == "idle" and self._idle is not None)
        return kept or (self.path is not None and (self.path / f"{name}.parquet").is_file())

    @cached_property
    def series(self) -> pl.DataFrame | None:
        """Response times in blocks of time (``docs/reference/run.md``); None of a Run without them."""
        return self.table("series") if self.has("series") else None

    @cached_property
    def hops(self) -> pl.DataFrame | None:
        """Where the time of requests went, hop by hop; None of a Run without a path."""
        return self.table("hops") if self.has("hops") else None

    def scan(self, name: str) -> pl.LazyFrame:
        """A table to be read piece by piece.

        Raises :class:`InputError` where the run does not have it, with the key that asks for it.
        """
        if name not in OPTIONAL:
            return self.table(name).lazy()
        if not self.has(name):
            why, hint = REASONS_MISSING.get(name, ("it was not kept", None))
            if name in _OF_INSTRUMENTS:
                why = "no instrument recorded while it ran"
            elif name not in REASONS_MISSING:
                key = _ON_REQUEST.get(name, _ON_REQUEST["idle"])
                hint = f"set {key} in the scenario, or run it with `set={key.replace(' ', '')}`"
            place, message = self._place, f"this run has no table {name!r}: {why}"
            raise InputError("missing-figure", place, message, hint=hint)
        if name == "idle" and self._idle is not None:
            return self._idle.scan()
        if (table := self._tables.get(name)) is not None:
            kept: pl.LazyFrame = table.lazy()
            return kept
        from iowatt.base import parquet

        assert self.path is not None  # or it would not have the table
        with self._readable(name):
            lazy = parquet.scan(self.path / f"{name}.parquet")
            if name not in _ON_REQUEST:  # which other tools may bring; their lens looks at each column
                self._refuse_other_columns(name, lazy.collect_schema())
        return lazy

    @cached_property
    def notes(self) -> list[str]:
        """Limits of the figures that a reader must know."""
        return list(self.summary["notes"])

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Run:
        """Write a bundle at ``path`` and return the run opened there. See :func:`reserve`."""
        with reserve(path, force=force) as place:
            self.write_into(place.staging)
        return Run.open(path)

    def at(self, folder: Path) -> Run:
        """The same run, whose bundle lies at ``folder``. Tables without bound are read from there."""
        return Run(
            summary=self.summary,
            plan=self.plan,
            scenario_text=self.scenario_text,
            tables={name: table for name, table in self._tables.items() if name not in _ON_REQUEST},
            path=folder,
        )

    def write_into(self, folder: Path) -> None:
        """Write the files of the bundle into an existing folder."""
        (folder / "run.json").write_text(_as_json(self.summary), encoding="utf-8")
        (folder / "plan.json").write_text(_as_json(self.plan), encoding="utf-8")
        (folder / "scenario.toml").write_text(self.scenario_text, encoding="utf-8")
        for name in TABLES:
            self.table(name).write_parquet(folder / f"{name}.parquet", compression="zstd")
        for name in filter(self.has, OPTIONAL):
            self._write_long(name, folder / f"{name}.parquet")

    def _write_long(self, name: str, file: Path) -> None:
        """Write a table as it is read."""
        import polars as pl

        try:
            self.scan(name).sink_parquet(file, compression="zstd", row_group_size=ROW_GROUP_ROWS)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError("unwritable", str(file), f"the table cannot be written: {error}") from None

    def _read_table(self, name: str) -> pl.DataFrame:
        from iowatt.base import parquet  # loads Polars: 0.3 s, only for those who ask for a table

        if self.path is None:
            raise InputError(
                "missing", None, f"the run {self.name!r} was not saved and holds no table {name!r}"
            )
        with self._readable(name):
            table = parquet.scan(self.path / f"{name}.parquet").collect()
            self._refuse_other_columns(name, table.schema)
        drives = {str(device["name"]) for device in self.summary["devices"]}
        if name == "devices" and set(table["name"].to_list()) != drives:
            raise InputError(
                "damaged",
                self._table_place(name),
                "the table has other drives than run.json",
                hint="run the scenario again",
            )
        return table

    def _refuse_other_columns(self, name: str, found: Mapping[str, pl.DataType]) -> None:
        """A table has the columns that readers rely on, with their types, and may have more."""
        from iowatt.run.tables import NULLABLE, SCHEMAS

        for column, kind in SCHEMAS[name].items():
            if column in found and found[column] != kind:
                wrong = f"has {found[column]} in its column {column!r}; expected {kind}"
            elif column not in found and column not in NULLABLE:
                wrong = f"has no column {column!r}"
            else:
                continue
            raise InputError(
                "damaged",
                self._table_place(name),
                f"the table is damaged: {wrong}",
                hint="run the scenario again",
            )

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        """Errors of Polars on a table's file are wrong input."""
        from iowatt.base.parquet import ERRORS

        try:
            yield
        except ERRORS as error:
            raise InputError(
                "unreadable",
                self._table_place(name),
                f"the table cannot be read: {error}",
                hint="run the scenario again",
            ) from None


@dataclass(frozen=True)
class Reservation:
    """A target directory, and the folder beside it that is filled and then takes its place."""

    target: Path
    staging: Path


@contextmanager
def reserve(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Reservation]:
    """A folder beside ``path`` that becomes ``path`` when the block ends without an error.

    Any error, Ctrl-C included, removes the folder and leaves what stood at ``path`` as it was. Made
    before the work starts, so that an unwritable place is found out at once.

    Raises :class:`InputError` where ``path`` exists and ``force`` is false, or is not a bundle at
    all (``force`` replaces bundles and empty directories, nothing else), or cannot be written.
    """
    target = Path(path)
    with atomic_path.folder(target, lambda: _refuse_existing(target, force)) as made:
        yield Reservation(target, made)


def is_bundle(path: Path) -> bool:
    """Whether a directory holds a bundle of any version."""
    return input_file.schema_of(path / "run.json").startswith("iowatt.run/")


def _refuse_existing(target: Path, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if not force:
        raise InputError(
            "exists",
            str(target),
            "already exists; results are never overwritten",
            hint="choose another directory, or use `force=True` to overwrite it",
        )
    empty = target.is_dir() and not any(target.iterdir())
    if target.is_symlink() or not (empty or is_bundle(target)):
        raise InputError(
            "unsafe-target",
            str(target),
            "already exists and is not a Run bundle; `force=True` overwrites only bundles",
            hint="choose another directory",
        )


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _read_summary(folder: Path) -> dict[str, Any]:
    file = folder / "run.json"
    if not folder.exists():
        raise InputError("not-found", str(folder), "no such Run", hint="create one with `iowatt run`")
    if not file.is_file():
        raise InputError("wrong-format", str(folder), "not a Run bundle: no run.json in it")
    text = _text(file)
    summary = input_file.parsed(text, str(file), finite=False)
    if not isinstance(summary, dict):
        raise InputError("damaged", str(file), "expected a JSON object")
    schema = summary.get("schema")
    family, _, number = str(schema).partition("/")
    if family != "iowatt.run" or not number.isdecimal():
        raise InputError(
            "wrong-format", str(file), f'this is not a run.json: its "schema" is {schema!r}, not {SCHEMA!r}'
        )
    if schema != SCHEMA:
        newer = int(number) > int(SCHEMA.partition("/")[2])
        age = "a newer" if newer else "an older"
        raise InputError(
            "unsupported",
            str(file),
            f"it was written by {age} iowatt: its schema is {schema!r}, this iowatt reads {SCHEMA!r}",
            hint="upgrade iowatt" if newer else "run the scenario again",
        )
    try:
        RunSummary.model_validate_json(text, strict=True)
    except ValidationError as error:
        from iowatt.run import plan_schema

        # Keys that a later iowatt of the same schema has added are no damage. What another tool wrote (it
        # says no provenance) has the keys that the lens reads for which it was made.
        passed = {"extra_forbidden"} if "provenance" in summary else {"extra_forbidden", "missing"}
        _refuse_damaged(file, plan_schema.first(error, frozenset(passed)))
    return summary


def _read_plan(file: Path, summary: Mapping[str, Any]) -> dict[str, Any]:
    text = _text(file)
    plan = input_file.parsed(text, str(file), finite=False)
    if not isinstance(plan, dict):
        raise InputError("damaged", str(file), "expected a JSON object")
    from iowatt.run import plan_schema  # many models, for those who open a bundle

    _refuse_damaged(file, plan_schema.problem(text, summary))
    return plan


def _refuse_damaged(file: Path, found: tuple[str, str] | None) -> None:
    if found is not None:
        place, message = found
        where = f"{file}: {place}" if place else str(file)
        raise InputError("damaged", where, f"the file is damaged: {message}", hint="run the scenario again")


def _text(file: Path) -> str:
    return input_file.text(file, "a JSON document", input_file.RESULT_BYTES, hint="the bundle is incomplete")

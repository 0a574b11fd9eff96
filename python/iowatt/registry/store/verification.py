"""Checks a whole registry: the chain of its log, every bundle, and that states are what the log says."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.results import Result, ResultDocument
from iowatt.registry.bundle import BundleLimits
from iowatt.registry.bundle import read as read_bundle
from iowatt.registry.reanalysis import Reanalysis
from iowatt.registry.store import database, log, records
from iowatt.registry.store.log import LogEntry
from iowatt.registry.store.registry import RegistryStore, identifier


class RegistryFault(Result):
    """Something in a registry that is not as it was signed."""

    code: str
    place: str
    text: str


class RegistryVerification(ResultDocument):
    """A registry that was checked."""

    schema_id: Literal["iowatt.registry-verification/1"] = Field(
        default="iowatt.registry-verification/1", alias="schema"
    )
    public_key: str
    entries: int  #: Of the log.
    head: str  #: Hash of its last entry: a later log must contain it.
    submissions: int
    bundles: int
    bytes: int  #: Of all bundles.
    faults: list[RegistryFault]


def verify(store: RegistryStore, *, known_head: str | None = None) -> RegistryVerification:
    """Check everything; ``known_head`` is the head of an earlier check, which the log must still contain."""
    faults = [
        RegistryFault(code="damaged", place="registry.sqlite", text=one)
        for one in database.integrity(store.file)
    ]
    with database.reading(store.file) as connection:
        entries, more = _log(connection, store.public_key)
        faults += more
        found = records.found(connection, "1")
        own = {record.id: records.findings(connection, int(record.id[4:])) for record in found}
        results = _results(connection)
    hashes = [one.sha256 for one in entries]
    if known_head is not None and known_head not in hashes:
        text = "the log does not contain the entry that was its last one: entries were taken away"
        faults.append(RegistryFault(code="damaged", place="log", text=text))
    faults += _states(entries, found, own, results)
    for record in found:
        faults += _figures(record, results.get(record.id))
        faults += _bundle(store, record)
    return RegistryVerification(
        public_key=store.public_key,
        entries=len(entries),
        head=hashes[-1] if hashes else log.FIRST,
        submissions=len(found),
        bundles=len(list(store.bundles.glob("*.zip"))),
        bytes=sum(record.bytes for record in found),
        faults=faults,
    )


def _log(connection: sqlite3.Connection, public_key: str) -> tuple[list[LogEntry], list[RegistryFault]]:
    entries: list[LogEntry] = []
    try:
        entries.extend(log.checked(log.entries(connection), public_key))
    except InputError as error:
        return entries, [RegistryFault(code=error.code, place=str(error.place), text=error.message)]
    return entries, []


def _results(connection: sqlite3.Connection) -> dict[str, str]:
    """Texts of the new analyses by id."""
    rows = connection.execute("SELECT number, result FROM submissions WHERE result IS NOT NULL")
    return {identifier(row["number"]): row["result"] for row in rows}


def _states(
    entries: list[LogEntry],
    found: list[records.SubmissionRecord],
    own: Mapping[str, list[records.ReviewFinding]],
    results: Mapping[str, str],
) -> Iterator[RegistryFault]:
    """Where what the database says is not what the log leads to."""
    said: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry.submission is not None:
            _apply(said.setdefault(identifier(entry.submission), {"findings": {}}), entry)
    for record in found:
        logged = said.pop(record.id, None)
        if logged is None:
            yield RegistryFault(code="not-signed", place=record.id, text="the log does not know of it")
            continue
        for name in ("sha256", "public_key", "state", "window_ends", "superseded_by", "analysis"):
            value = getattr(record, name)
            if value != logged.get(name, value if name == "analysis" else None):
                text = f"its {name} is {value}; the log has {logged.get(name)}"
                yield RegistryFault(code="not-signed", place=record.id, text=text)
        digest = hashlib.sha256(results[record.id].encode()).hexdigest() if record.id in results else None
        if digest != logged.get("result_sha256"):
            text = "its result is not the one that was signed"
            yield RegistryFault(code="not-signed", place=record.id, text=text)
        reviewed = {
            one.number: one.as_dict()
            for one in own[record.id]
            if one.by != "registry" or one.number in logged["findings"]  # of a refusal the result tells
        }
        if reviewed != logged["findings"]:
            yield RegistryFault(
                code="not-signed", place=record.id, text="its findings are not those of the log"
            )
    for name in said:
        yield RegistryFault(code="not-found", place=name, text="the log has it, and the database has not")


def _apply(said: dict[str, Any], entry: LogEntry) -> None:
    values = entry.values
    match entry.event:
        case "received":
            said |= {"sha256": values["sha256"], "public_key": values["key"], "state": values["state"]}
        case "analysed":
            said |= {"analysis": values["outcome"], "result_sha256": values["result_sha256"]}
        case "received-again":
            said["analysis"] = "pending"
        case "submit" | "publish" | "accept" | "withdraw" | "supersede":
            if said.get("state") != values["before"]:
                said["state"] = f"{said.get('state')}, not {values['before']}"
                return
            said["state"] = values["after"]
            if "window_ends" in values:
                said["window_ends"] = values["window_ends"]
            if "by" in values:
                said["superseded_by"] = identifier(values["by"])
        case _:
            if "finding" in values:
                said["findings"][values["finding"]["number"]] = values["finding"]


def _figures(record: records.SubmissionRecord, text: str | None) -> Iterator[RegistryFault]:
    """Where the listed figures are not those of the result."""
    if text is None:
        return
    result = Reanalysis.model_validate_json(text)
    for name in ("basis", "metric_family", "standing", "unverified_rules", "year", "figures"):
        if getattr(record, name) != getattr(result, name):
            text = f"its {name} in the list is not that of its result"
            yield RegistryFault(code="damaged", place=record.id, text=text)


def _bundle(store: RegistryStore, record: records.SubmissionRecord) -> Iterator[RegistryFault]:
    try:
        bundle = read_bundle(store.bundle(record.sha256), limits=BundleLimits(bytes=3 << 30))
    except InputError as error:
        yield RegistryFault(code=error.code, place=f"{record.id}: {error.place}", text=error.message)
        return
    if (bundle.sha256, bundle.key) != (record.sha256, record.public_key):
        yield RegistryFault(
            code="damaged", place=record.id, text="the bundle is not the one that was received"
        )
    product = bundle.submission.product
    listed = (record.vendor, record.product, record.family, record.form, record.protocol, record.title)
    signed = (product.vendor, product.name, product.family_name, product.form, product.protocol)
    if listed != (*signed, bundle.submission.title):
        text = "the product in the list is not the one that was signed"
        yield RegistryFault(code="damaged", place=record.id, text=text)

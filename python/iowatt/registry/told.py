"""What the verbs of a registry print, as documents."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.registry.publish import RegistryExport, RegistrySearch, bundle_figures, search_page
from iowatt.registry.publish import entry_sections as sections_of
from iowatt.registry.publish import entry_verdict as verdict_of
from iowatt.registry.result import CheckedBundle, RegistryAccounts, RegistryCreated, RegistryKeyPair
from iowatt.registry.store import RegistryEntry, RegistryVerification
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns


def created(found: RegistryCreated) -> Document:
    """A new registry, and what to do next."""
    return Document(
        key="registry",
        kind="Registry",
        title=found.title,
        meta=found.folder,
        verdict=["The registry is made. Next:", *found.next],
        provenance=[("Public key", found.public_key)],
    )


def key_pair(found: RegistryKeyPair) -> Document:
    """A key pair, and who needs which part."""
    return Document(
        key="key",
        kind="Registry",
        title="Key pair",
        meta=found.file,
        verdict=[
            f"Public key: {found.public_key}",
            f"Give {found.public_file} to the operator of the registry, and {found.file} to nobody.",
        ],
    )


def account_list(found: RegistryAccounts) -> Document:
    """Accounts, and the token of a new one."""
    verdict = []
    if found.token is not None:
        verdict = [f"Token: {found.token}", "It is shown this once; the registry keeps its hash alone."]
    rows: list[list[Cell]] = [
        [one.name, one.role, one.mail or "–", "yes" if one.active else "closed"] for one in found.accounts
    ]
    columns = text_columns("Account", "Role", "Mail", "Active")
    return Document(
        key="accounts",
        kind="Registry",
        title="Accounts",
        meta=numbers.counted(len(rows), "account"),
        verdict=verdict,
        sections=[Section("accounts", "Accounts", [_brief("accounts", "Accounts", Table(columns, rows))])],
    )


def bundle(found: CheckedBundle) -> Document:
    """A bundle that holds, and what a new analysis says."""
    again = found.reanalysis
    verdict = [f"The bundle holds: {found.files} files, every byte as signed."]
    if again is not None and again.reproduced:
        verdict.append("A new analysis gives the same figures to the last digit.")
    caveats = []
    if again is not None and not again.reproduced:
        verdict.append(f"A new analysis does not reproduce it: {_counted(len(again.differences))}.")
        caveats = [
            Caveat(f"{one.place}: {one.claimed} is claimed, {one.found} found", True)
            for one in again.differences
        ]
    return Document(
        key="bundle",
        kind="Registry",
        title=f"{found.vendor} {found.product}",
        meta=f"{found.title} · {found.basis} · {found.file}",
        verdict=verdict,
        sections=[Section("figures", "Figures", [bundle_figures(found.figures)])],
        caveats=caveats,
        provenance=[("SHA-256", found.sha256), ("Signed by", found.public_key)],
    )


def _counted(number: int) -> str:
    return f"{number} difference{'' if number == 1 else 's'}"


def entry(found: RegistryEntry) -> Document:
    """A submission with its state and findings."""
    record, waits = found.submission, found.mail_waits
    return Document(
        key="registry",
        kind="Registry",
        title=f"{record.id}: {record.vendor} {record.product}",
        meta=f"{record.state} · {record.basis or 'not analysed'} · {record.title}",
        verdict=list(verdict_of(record)),
        sections=[
            Section("figures", "Figures", [bundle_figures(record.figures)]),
            *sections_of(found.findings),
        ],
        caveats=[] if waits is None else [Caveat(f"Mail about it waits: {waits}", True)],
        provenance=[("Bundle", record.sha256), ("Submitted by", record.submitter)],
    )


def search(found: RegistrySearch) -> Document:
    """What a search found, on a terminal."""
    return search_page(found, "Results of the registry", None)


def verification(found: RegistryVerification) -> Document:
    """Whether a registry is as it was signed."""
    faults = [Caveat(f"{one.code}: {one.place}: {one.text}", True) for one in found.faults]
    verdict = (
        f"{_faults(len(faults))} found."
        if faults
        else f"Everything is as it was signed: {_entries(found.entries)} of the log, "
        f"{numbers.counted(found.submissions, 'submission')} with their bundles."
    )
    return Document(
        key="verification",
        kind="Registry",
        title="Verification",
        meta=f"head {found.head}",
        verdict=[verdict],
        caveats=faults,
        provenance=[("Public key", found.public_key)],
    )


def _faults(number: int) -> str:
    return f"{number} fault{'' if number == 1 else 's'}"


def _entries(number: int) -> str:
    return f"{number} entr{'y' if number == 1 else 'ies'}"


def exported(found: RegistryExport) -> Document:
    """A static site that was written."""
    return Document(
        key="export",
        kind="Registry",
        title="Static site",
        meta=found.folder,
        verdict=list(_site(found)),
    )


def _site(found: RegistryExport) -> Iterator[str]:
    yield (
        f"{numbers.counted(found.results, 'result')} on {numbers.counted(found.pages, 'page')}, "
        f"{found.bytes / 1e6:.1f} MB: open {found.folder}/index.html."
    )
    if not found.results:
        yield "No result is accepted yet; `--provisional` also has those that are not."


def _brief(key: str, title: str, table: Table) -> Figure:
    return Figure(key, title, "", table, brief=True, complete=True)

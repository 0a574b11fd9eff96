"""What the verbs of a registry print, besides what its parts return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.registry.bundle import Basis, SignedBundle
from iowatt.registry.reanalysis import FoundFigure, Reanalysis
from iowatt.registry.store import Role


class RegistryCreated(ResultDocument):
    """A registry that was made."""

    schema_id: Literal["iowatt.registry-created/1"] = Field(
        default="iowatt.registry-created/1", alias="schema"
    )
    folder: str
    title: str
    public_key: str  #: Of the registry, which signs its log.
    next: list[str]  #: Commands that a new operator needs.


class RegistryKeyPair(ResultDocument):
    """A key pair that was made; the private key is in its file alone."""

    schema_id: Literal["iowatt.registry-key/1"] = Field(default="iowatt.registry-key/1", alias="schema")
    file: str
    public_file: str
    public_key: str


class AccountRow(Result):
    """An account."""

    name: str
    role: Role
    mail: str | None
    active: bool


class RegistryAccounts(ResultDocument):
    """Accounts; ``token`` is that of one that was just made, shown this once."""

    schema_id: Literal["iowatt.registry-accounts/1"] = Field(
        default="iowatt.registry-accounts/1", alias="schema"
    )
    accounts: list[AccountRow]
    token: str | None


class CheckedBundle(ResultDocument):
    """A bundle whose every byte is what its submitter signed."""

    schema_id: Literal["iowatt.registry-bundle/1"] = Field(default="iowatt.registry-bundle/1", alias="schema")
    file: str
    sha256: str
    public_key: str
    kind: Literal["emerald", "run"]
    title: str
    vendor: str
    product: str
    basis: Basis
    files: int
    bytes: int  #: Of the files together.
    figures: list[FoundFigure]  #: As claimed.
    reanalysis: Reanalysis | None  #: Where it was asked for.


def checked_bundle(file: str, bundle: SignedBundle, reanalysis: Reanalysis | None = None) -> CheckedBundle:
    """A bundle as a result."""
    submission = bundle.submission
    return CheckedBundle(
        file=file,
        sha256=bundle.sha256,
        public_key=bundle.key,
        kind=submission.kind,
        title=submission.title,
        vendor=submission.product.vendor,
        product=submission.product.name,
        basis=submission.basis,
        files=len(submission.files),
        bytes=sum(one.size for one in submission.files),
        figures=[FoundFigure(**one.model_dump()) for one in submission.figures],
        reanalysis=reanalysis,
    )

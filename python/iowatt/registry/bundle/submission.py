"""``submission.json``: what is submitted, what it claims, and the digest of every file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.base.strict import Strict, key

SUBMISSION_SCHEMA: Final = "iowatt.submission/1"
SUBMISSION: Final = "submission.json"
SIGNATURE: Final = "signature.json"

Basis = Literal["measured", "modelled"]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


def _said(description: str, example: str) -> Text | None:
    return key(description, default=None, unset="not stated", example=example)  # type: ignore[no-any-return]


class SubmittedProduct(Strict):
    """The product, as it is searched for, and the configuration that was tested."""

    vendor: Text = key("Who makes it.", example="Example Systems")
    name: Text = key("Its name.", example="Array 240")
    family: Text | None = key(
        "Product family; its configurations are compared with each other.",
        default=None,
        unset="the product's name",
        example="Array 200",
    )
    form: Text | None = _said("Form of the product.", "rack 2U")
    protocol: Text | None = _said("Protocol to the hosts.", "NVMe/TCP")
    controller: Text | None = _said("Controller class of the tested configuration.", "lower")
    drive: Text | None = _said("Drive of the tested configuration.", "sff-15k-146gb")
    drives: int | None = key(
        "Drives of the tested configuration.", default=None, unset="not stated", ge=1, le=10**6, example=120
    )
    raid: Text | None = _said("Level of the tested configuration.", "raid-5")

    @property
    def family_name(self) -> str:
        """Its family, by default itself."""
        return self.family or self.name


FACETS: Final = tuple(SubmittedProduct.model_fields)


def product_of(facets: Mapping[str, str], defaults: Mapping[str, object]) -> SubmittedProduct:
    """The product of ``KEY=VALUE`` pairs over what the measurement says of it.

    Raises ``InputError``: an unknown key, a wrong value, or no vendor or name.
    """
    from pydantic import ValidationError

    for name in facets:
        if name not in FACETS:
            hint = suggestion(name, list(FACETS), "facets")
            raise InputError("unknown-name", Argument("facet", name), "no such facet", hint=hint)
    known = {name: value for name, value in defaults.items() if name in FACETS and value is not None}
    values: dict[str, object] = {**known, **facets}
    if isinstance(given := values.get("drives"), str) and given.isdecimal():
        values["drives"] = int(given[:9])
    for name in ("vendor", "name"):
        if name not in values:
            text = f"the {name} of the product is not known"
            raise InputError("missing", Argument("facet"), text, hint=f"`facet={name}=...`")
    try:
        return SubmittedProduct.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError("not-accepted", Argument("facet", first["loc"][0]), first["msg"]) from None


class ClaimedFigure(Strict):
    """A metric that the submitter claims."""

    metric: str = key("Its name: EP_HB.", min_length=1, max_length=100)
    unit: str = key("Its unit: IOPS/W.", max_length=40)
    value: float | None = key("In full.", default=None, unset="the metric was refused")
    shown: str | None = key("As it is published.", default=None, unset="the metric was refused")


class RulesDigest(Strict):
    """The rules that the figures were judged by."""

    profile: str = key("Name of the rule profile.", min_length=1, max_length=100)
    sha256: Sha256 = key("Digest of its texts.")


class ImportedFrom(Strict):
    """How a measured Run was made of raw output, so that it can be made again."""

    source: str = key("The load generator's output in the bundle.", min_length=1)
    meters: list[str] = key("Addresses of logs of power meters, with paths in the bundle.", default=[])
    thermometers: list[str] = key("The same of thermometers.", default=[])
    name: str = key("Name of the Run.")
    run: str | None = key("Which of several runs it is.", default=None, unset="the only one")
    system: str = key("What was measured.", default="target")
    interval_s: float | None = key("Interval of the figures.", default=None, unset="by the length", gt=0)
    time_zone: str | None = key("Of stamps without one.", default=None, unset="what the stamps say")
    utc_offset: str | None = key("Of logs without one.", default=None, unset="what the logs say")
    raw_capacity_bytes: int | None = key("Raw capacity.", default=None, unset="unknown", gt=0)


class SubmittedFile(Strict):
    """A file of the bundle."""

    name: str = key("Its path in the bundle.", min_length=1, max_length=240)
    size: int = key("Bytes.", ge=0)
    sha256: Sha256 = key("Digest of its content.")


class Submission(Strict):
    """A submission: what is claimed, and every file to the byte. The signature is of this file."""

    schema_: Literal["iowatt.submission/1"] = key("The version of this format.", alias="schema")
    kind: Literal["emerald", "run"] = key("A measurement of `iowatt emerald run`, or a Run.")
    basis: Basis = key("Whether the figures were measured or come from a simulation.")
    title: Text = key("Its title.")
    product: SubmittedProduct = key("The product.")
    category: str | None = key("Taxonomy category and class: online-3.", default=None, unset="a Run has none")
    rules: RulesDigest | None = key("The rules.", default=None, unset="a Run is judged by none")
    figures: list[ClaimedFigure] = key("Claimed figures, in the order of the result.", max_length=200)
    scenario: str | None = key(
        "Path of the simulated scenario in the bundle.", default=None, unset="nothing was simulated"
    )
    imported: ImportedFrom | None = key("Of a measured Run.", default=None, unset="it is none")
    iowatt: str = key("Version of iowatt that made it.", max_length=40)
    made: str = key("When, UTC.", pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
    files: list[SubmittedFile] = key("Every other file, by name.", min_length=1)

    @property
    def content_sha256(self) -> str:
        """Digest of names and contents of all files: the same for one measurement under two products."""
        digest = hashlib.sha256()
        for file in sorted(self.files, key=lambda one: one.name):
            digest.update(f"{file.name}\n{file.sha256}\n".encode())
        return digest.hexdigest()


class SubmissionSignature(Strict):
    """``signature.json``: who signed ``submission.json``."""

    schema_: Literal["iowatt.signature/1"] = key("The version of this format.", alias="schema")
    public_key: str = key("Public key of the submitter.", max_length=100)
    signature: str = key("Signature of submission.json to the byte.", max_length=200)


def signed_bytes(submission: bytes) -> bytes:
    """What is signed of a submission: no signature of something else is one of it."""
    return SUBMISSION_SCHEMA.encode() + b"\n" + submission

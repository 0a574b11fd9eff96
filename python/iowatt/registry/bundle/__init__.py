"""A submission as one file: immutable, signed, and the same bytes for the same content.

``submission`` is the document that is signed, ``make`` collects the files and ``read`` refuses a bundle in
which any byte differs; ``archive`` is the zip, ``names`` what files may be called, ``keys`` the signatures.
"""

from iowatt.registry.bundle.archive import ArchiveWriter, BundleLimits
from iowatt.registry.bundle.canonical_json import canonical
from iowatt.registry.bundle.figures import (
    LOWER_IS_BETTER,
    analysis_figures,
    basis_of,
    run_family,
    run_figures,
)
from iowatt.registry.bundle.inputs import files_of_scenario
from iowatt.registry.bundle.keys import SigningKey, make_key, public_bytes, verify
from iowatt.registry.bundle.make import ANALYSIS, MEASUREMENT, RUN, PreparedSubmission, prepare, write
from iowatt.registry.bundle.reader import SignedBundle, read
from iowatt.registry.bundle.submission import (
    FACETS,
    Basis,
    ClaimedFigure,
    ImportedFrom,
    Submission,
    SubmittedProduct,
)

__all__ = [
    "ANALYSIS",
    "FACETS",
    "LOWER_IS_BETTER",
    "MEASUREMENT",
    "RUN",
    "ArchiveWriter",
    "Basis",
    "BundleLimits",
    "ClaimedFigure",
    "ImportedFrom",
    "PreparedSubmission",
    "SignedBundle",
    "SigningKey",
    "Submission",
    "SubmittedProduct",
    "analysis_figures",
    "basis_of",
    "canonical",
    "files_of_scenario",
    "make_key",
    "prepare",
    "public_bytes",
    "read",
    "run_family",
    "run_figures",
    "verify",
    "write",
]  # fmt: skip

"""What the public sees of a registry: search, product families, pages, CSV and JSON, a static site."""

from iowatt.registry.publish.families import ProductFamilies, families, families_of
from iowatt.registry.publish.links import FileLinks, RegistryLinks, ServerLinks
from iowatt.registry.publish.pages import bar, families_page, search_page
from iowatt.registry.publish.result_page import (
    bundle_figures,
    entry_sections,
    entry_verdict,
    result_documents,
)
from iowatt.registry.publish.searching import FACETS, RegistrySearch, listed_records, search, searched
from iowatt.registry.publish.site import RegistryExport, check_target, export
from iowatt.registry.publish.tables import csv_text

__all__ = [
    "FACETS",
    "FileLinks",
    "ProductFamilies",
    "RegistryExport",
    "RegistryLinks",
    "RegistrySearch",
    "ServerLinks",
    "bar",
    "bundle_figures",
    "check_target",
    "csv_text",
    "entry_sections",
    "entry_verdict",
    "export",
    "families",
    "families_of",
    "families_page", "listed_records",
    "result_documents",
    "search",
    "search_page",
    "searched",
]  # fmt: skip

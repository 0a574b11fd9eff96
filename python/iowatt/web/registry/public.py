"""What anybody may ask: pages, search, results, bundles, product families, the log."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse
from pydantic import ConfigDict, Field

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.registry import publish
from iowatt.registry.publish import ProductFamilies, RegistrySearch, ServerLinks
from iowatt.registry.reanalysis import Reanalysis
from iowatt.registry.store import (
    PUBLIC,
    Account,
    RegistryEntry,
    RegistryStore,
    SubmissionRecord,
    entry,
    log_entries,
    number_of,
    reading,
)
from iowatt.registry.store import one as submission
from iowatt.render import html
from iowatt.render import write as render_file
from iowatt.render.document import Document
from iowatt.web.registry.token import optional_account

Id = Annotated[str, Path(pattern=r"^iow-[0-9]{6,15}$", description="Of a submission: iow-000123.")]
_LINKS: Final = ServerLinks()
_PAGES: Final = 64
_LOG_PAGE: Final = 1000


class SearchQuery(Result):
    """Facets of a search; a result must have all of them."""

    # FastAPI builds what it needs of a request at once, and would warn of it later.
    model_config = ConfigDict(defer_build=False)

    family: str | None = Field(default=None, max_length=200, description="Metric family.")
    category: str | None = Field(default=None, max_length=200)
    vendor: str | None = Field(default=None, max_length=200)
    form: str | None = Field(default=None, max_length=200)
    protocol: str | None = Field(default=None, max_length=200)
    basis: Literal["measured", "modelled"] | None = None
    state: Literal["provisional", "accepted", "withdrawn", "superseded"] | None = None
    year: int | None = Field(default=None, ge=1970, le=9999)
    products: str | None = Field(default=None, max_length=200, description="Product family.")
    sort: str | None = Field(default=None, max_length=100, description="Metric to sort one group by.")
    most: int = Field(default=500, ge=1, le=10_000, description="Results of each group.")

    @property
    def facets(self) -> dict[str, str]:
        """Those that are asked for."""
        given = self.model_dump(exclude={"sort", "most"}, exclude_none=True)
        return {name: str(value) for name, value in given.items()}


class CsvResponse(PlainTextResponse):
    """A table as CSV."""

    media_type = "text/csv"


class LogRow(Result):
    """An entry of the log, as it was signed."""

    number: int
    entry: str
    sha256: str
    signature: str


class LogPage(Result):
    """Entries of the log, and the key that signs them."""

    public_key: str
    entries: list[LogRow]


def router(store: RegistryStore) -> APIRouter:
    """The routes."""
    routes = APIRouter()
    pages = _Pages(store)
    asks = optional_account(store)

    @routes.get("/", response_class=HTMLResponse, summary="The search page")
    def index(query: Annotated[SearchQuery, Query()]) -> HTMLResponse:
        return pages.index(query)

    @routes.get("/families", response_class=HTMLResponse, summary="Product families")
    def families_page() -> HTMLResponse:
        return pages.families()

    @routes.get("/results/{identifier}", response_class=HTMLResponse, summary="The page of a result")
    def result_page(identifier: Id) -> HTMLResponse:
        _visible(store, identifier, None)
        return pages.result(identifier)

    @routes.get("/assets/{name}", response_class=FileResponse, summary="Styles and scripts of the pages")
    def asset(name: Annotated[str, Path(max_length=80)]) -> FileResponse:
        found = html.assets().get(name)
        if found is None:
            raise InputError("not-found", "assets", "no such file")
        return FileResponse(found, headers={"cache-control": "max-age=3600"})

    @routes.get("/api/results", summary="Search")
    def results(query: Annotated[SearchQuery, Query()]) -> RegistrySearch:
        return pages.found(query)

    @routes.get("/api/results.csv", response_class=CsvResponse, summary="Search, as CSV")
    def results_csv(query: Annotated[SearchQuery, Query()]) -> CsvResponse:
        text = publish.csv_text(pages.found(query, every=True))
        headers = {"content-disposition": 'attachment; filename="results.csv"'}
        return CsvResponse(text, headers=headers)

    @routes.get("/api/families", summary="Product families with their optimal points")
    def families() -> ProductFamilies:
        return publish.families_of(pages.listed())

    @routes.get("/api/results/{identifier}", summary="A submission with its findings")
    def result(identifier: Id, account: Account | None = asks) -> RegistryEntry:
        return _visible(store, identifier, account)

    @routes.get("/api/results/{identifier}/analysis", summary="The registry's own analysis")
    def analysis(identifier: Id, account: Account | None = asks) -> Reanalysis:
        _visible(store, identifier, account)
        with reading(store.file) as connection:
            row = connection.execute(
                "SELECT result FROM submissions WHERE number = ?", (number_of(identifier),)
            ).fetchone()
        if row["result"] is None:
            raise InputError("not-found", identifier, "it has not been analysed")
        return Reanalysis.model_validate_json(row["result"])

    zipped = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}

    @routes.get(
        "/api/results/{identifier}/bundle",
        response_class=FileResponse,
        responses=zipped,  # type: ignore[arg-type]
        summary="The bundle",
    )
    def bundle(identifier: Id, account: Account | None = asks) -> FileResponse:
        record = _visible(store, identifier, account).submission
        return FileResponse(
            store.bundle(record.sha256), media_type="application/zip", filename=f"{record.id}.zip"
        )

    @routes.get("/api/log", summary="The signed log")
    def log(after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> LogPage:
        with reading(store.file) as connection:
            rows = [LogRow(**dict(row)) for row in log_entries(connection, after=after, most=_LOG_PAGE)]
        return LogPage(public_key=store.public_key, entries=rows)

    return routes


def _visible(store: RegistryStore, identifier: str, account: Account | None) -> RegistryEntry:
    """A submission that is public, or that the account may see.

    Raises ``InputError`` where there is none: whether there is a draft is nobody's business.
    """
    with reading(store.file) as connection:
        record = submission(connection, number_of(identifier))
        if not may_see(record, account):
            raise InputError("not-found", identifier, "no such submission")
        return entry(connection, number_of(identifier))


def may_see(record: SubmissionRecord, account: Account | None) -> bool:
    """Whether a submission was published, is the account's own, or the account reviews."""
    if record.published is not None and record.state in PUBLIC:
        return True
    return account is not None and (account.name == record.submitter or account.role != "submitter")


class _Pages:
    """Pages, and the list that they are made of; both are kept while nothing changes."""

    def __init__(self, store: RegistryStore) -> None:
        self._store = store
        self._kept = lru_cache(maxsize=_PAGES)(self._result)
        self._lists = lru_cache(maxsize=2)(self._list)

    def listed(self, *, gone: bool = False) -> list[SubmissionRecord]:
        return self._lists(self._head(), gone)

    def found(self, query: SearchQuery, *, every: bool = False) -> RegistrySearch:
        listed = self.listed(gone=query.state in ("withdrawn", "superseded"))
        return publish.searched(listed, query.facets, sort=query.sort, most=None if every else query.most)

    def index(self, query: SearchQuery) -> HTMLResponse:
        found = self.found(query)
        everything = publish.searched(self.listed(), {}, most=1)
        # All values stay in sight where one is chosen.
        values = {
            name: everything.values[name] if name in found.facets else listed
            for name, listed in found.values.items()
        }
        shown = found.model_copy(update={"values": values})
        return self._page([publish.search_page(shown, self._store.settings.title, _LINKS)])

    def families(self) -> HTMLResponse:
        found = publish.families_of(self.listed())
        return self._page([publish.families_page(found, self._store.settings.title, _LINKS)])

    def result(self, identifier: str) -> HTMLResponse:
        return HTMLResponse(self._kept(identifier, self._head()))

    def _head(self) -> int:
        """Number of the last entry of the log: every change makes one."""
        with reading(self._store.file) as connection:
            return int(connection.execute("SELECT max(number) FROM log").fetchone()[0])

    def _list(self, _head: int, gone: bool) -> list[SubmissionRecord]:
        return publish.listed_records(self._store, gone=gone)

    def _result(self, identifier: str, _head: int) -> str:
        title, documents = publish.result_documents(self._store, identifier, _LINKS)
        return self._text(documents, title)

    def _page(self, documents: list[Document]) -> HTMLResponse:
        return HTMLResponse(self._text(documents))

    @staticmethod
    def _text(documents: list[Document], title: str | None = None) -> str:
        site = html.Site("/assets", publish.bar(_LINKS))
        return render_file.page(documents, title, site=site)

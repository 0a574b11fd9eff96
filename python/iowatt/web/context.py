"""What every route has: the workspace, the queue of jobs, and how a page is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fastapi.responses import HTMLResponse

from iowatt.base.errors import Argument, InputError
from iowatt.render.html import Site, environment
from iowatt.web.jobs import EXAMPLE, base_of

if TYPE_CHECKING:
    from iowatt.web.catalogue import ResultsCatalogue
    from iowatt.web.errors import ErrorDetail
    from iowatt.web.jobs import JobQueue

TEMPLATES: Final = Path(__file__).parent / "templates"
STATIC: Final = Path(__file__).parent / "static"
LINKS: Final = (
    ("Systems", "/"),
    ("What to buy", "/choose"),
    ("Power calculator", "/power"),
    ("Traces", "/traces"),
    ("Jobs", "/jobs"),
)
"""The bar of every page."""
SITE: Final = Site(assets="/assets", links=LINKS)
"""For pages of results, which `iowatt.render` makes."""


@dataclass(frozen=True)
class ServerContext:
    """One server.

    Parameters
    ----------
    root:
        The workspace; no request leads out of it.
    queue:
        Its jobs.
    catalogue:
        Its results.
    csrf:
        Token that the pages carry and changing requests must bring.
    """

    root: Path
    queue: JobQueue
    catalogue: ResultsCatalogue
    csrf: str

    def folder(self, path: str) -> Path:
        """A folder of the workspace. Raises ``InputError`` where there is none, or it lies elsewhere."""
        if path.startswith(EXAMPLE):
            raise InputError("not-found", Argument("path", path), "no such folder")
        return base_of(self.root, path).folder

    def page(
        self,
        template: str,
        *,
        here: str,
        title: str,
        modules: Sequence[str] = (),
        plotly: bool = False,
        **values: Any,
    ) -> HTMLResponse:
        """A page by a template that extends ``shell.html``.

        Args:
            here: Its address in the bar.
            modules: Scripts of ``static``, loaded as modules.
            plotly: Whether it draws charts.
        """
        text = (
            environment(TEMPLATES)
            .get_template(template)
            .render(
                csrf=self.csrf, here=here, title=title, modules=modules, plotly=plotly, links=LINKS, **values
            )
        )
        return HTMLResponse(text)

    def error_page(self, error: ErrorDetail, status: int) -> HTMLResponse:
        """The page of an error, with a way back."""
        page = self.page("error.html", here="", title="Error", error=error)
        page.status_code = status
        return page

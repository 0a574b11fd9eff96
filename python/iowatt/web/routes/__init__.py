"""What the server answers: a module for each kind of request, each making its router."""

from iowatt.web.routes.access import access_router
from iowatt.web.routes.choose import choose_router
from iowatt.web.routes.jobs import jobs_router
from iowatt.web.routes.pages import pages_router
from iowatt.web.routes.power import power_router
from iowatt.web.routes.results import results_router
from iowatt.web.routes.uploads import uploads_router
from iowatt.web.routes.whatif import whatif_router

__all__ = [
    "access_router", "choose_router", "jobs_router", "pages_router", "power_router", "results_router",
    "uploads_router", "whatif_router",
]  # fmt: skip

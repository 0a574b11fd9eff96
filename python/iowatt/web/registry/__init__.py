"""The registry on the web: pages and downloads for all, submissions and reviews by token."""

from iowatt.web.registry.app import make_app
from iowatt.web.registry.server import serve

__all__ = ["make_app", "serve"]

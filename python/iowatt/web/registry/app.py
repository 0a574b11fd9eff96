"""The application: routes, the guard of every request, and the thread that analyses what arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from iowatt.registry.store import RegistryStore
from iowatt.web.errors import RESPONSES, add_handlers
from iowatt.web.registry import members, public
from iowatt.web.registry.worker import AnalysisWorker
from iowatt.web.safety import Safety, SafetySettings


def make_app(store: RegistryStore, hosts: Collection[str]) -> FastAPI:
    """The application of a registry.

    ``hosts``: accepted values of the ``Host`` header; that of the registry's public address is one as well.
    """
    worker = AnalysisWorker(store)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        worker.start()
        try:
            yield
        finally:
            worker.stop()

    app = FastAPI(
        title="iowatt registry",
        version=version("iowatt"),
        description="A registry of storage efficiency results: search, download, submit, review.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=RESPONSES,
        lifespan=lifespan,
    )
    add_handlers(app)
    app.include_router(public.router(store))
    app.include_router(members.router(store, worker.wake))
    known = {*hosts, *_public_host(store)}
    # Every changing request has an account's token, which no browser sends by itself.
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    guard = SafetySettings(hosts=frozenset(known), csrf=None, uploads=(members.UPLOADS,))
    app.add_middleware(Safety, settings=guard)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The description of the API; errors are JSON on routes that answer with pages as well."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        for operations in made["paths"].values():
            for operation in operations.values():
                for status, answer in operation["responses"].items():
                    if status >= "400" and answer.get("content"):
                        (content,) = answer["content"].values()
                        answer["content"] = {"application/json": content}
        app.openapi_schema = made
    return app.openapi_schema


def _public_host(store: RegistryStore) -> list[str]:
    return [urlsplit(store.settings.url).netloc.lower()] if store.settings.url else []

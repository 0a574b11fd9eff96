"""The power calculator: an array from its parts, and what it draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Body, Query
from fastapi.responses import HTMLResponse

from iowatt.base.document import TomlDocument
from iowatt.web.errors import RESPONSES
from iowatt.web.forms import (
    ArrayChoices,
    FolderName,
    FormBody,
    LinkText,
    MadeArray,
    StartId,
    StartList,
    array_alone,
    array_choices,
    checked_tree,
    made_array,
    power_page,
    refuse_halves,
    shipped_starts,
    start_text,
    tree_as_toml,
    workspace_starts,
)

if TYPE_CHECKING:
    from iowatt.web.context import ServerContext

_MARK: Final = "[array.power"
_PAGE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}}
}


def power_router(context: ServerContext) -> APIRouter:
    """The page `/power` and what it asks for."""
    router = APIRouter(responses=RESPONSES, tags=["power"])

    @router.get("/power", response_class=HTMLResponse, include_in_schema=False)
    def calculator() -> HTMLResponse:
        return context.page("power.html", here="/power", title="Power calculator", modules=["power.js"])

    @router.get("/api/power/starts")
    def listed() -> StartList:
        """Shipped arrays, and those of the workspace."""
        own = workspace_starts(context.root, _MARK)
        examples = (*shipped_starts("array-power.toml"), *shipped_starts("power/*.toml"))
        return StartList(files=[*examples, *own])

    @router.get("/api/power/start")
    def start(file: Annotated[StartId, Query()]) -> MadeArray:
        """An array to begin with, without its workloads, and what it draws."""
        found = start_text(context.root, file)
        fields = array_alone(checked_tree(TomlDocument(found.text, file).raw))
        return made_array(context.root, tree_as_toml(fields), found.base)

    @router.get("/api/power/parts")
    def parts() -> ArrayChoices:
        """Parts, drives and efficiencies of the library, each with the source of its figures."""
        return array_choices()

    @router.post("/api/power")
    def made(asked: Annotated[FormBody, Body()]) -> MadeArray:
        """What an array draws, or all that is wrong with it, by the fields of a form or by TOML."""
        return made_array(context.root, asked.text(), asked.base)

    @router.get("/power/page", response_class=HTMLResponse, responses=_PAGE)
    def page(toml: Annotated[LinkText, Query()], base: Annotated[FolderName, Query()] = "") -> HTMLResponse:
        """The page of `iowatt power` for an array in TOML."""
        return HTMLResponse(power_page(context.root, refuse_halves(toml), base))

    return router

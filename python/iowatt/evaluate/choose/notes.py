"""What an answer rests on, in notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Note
from iowatt.evaluate.choose.design import NAS_BAYS, OwnDesign
from iowatt.evaluate.choose.families import families_of
from iowatt.evaluate.choose.layout import is_warm
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.choose.result import OtherFootprint
from iowatt.evaluate.choose.state import Confirmed, SearchedFamily
from iowatt.evaluate.choose.trials import Trials
from iowatt.model.library import device_file, device_names
from iowatt.render import numbers

if TYPE_CHECKING:
    from iowatt.evaluate.choose.request import ChooseRequest
    from iowatt.lenses.cost import Cost

_PARTS: Final = 0.5
"""Share of the purchase of the cheapest system from which on controllers and shelves are said to decide."""


def notes(
    request: ChooseRequest,
    trials: Trials,
    found: Sequence[SearchedFamily],
    ranked: Sequence[Confirmed],
    *,
    others: Mapping[str, OtherFootprint],
    cost: Cost | None,
) -> Iterator[Note]:
    """What the answer rests on."""
    failed = [name for name, one in others.items() if one.missed]
    if ranked and ranked[0].system.design.family in failed:
        other = others[ranked[0].system.design.family]
        text = (
            f"the answer depends on how the trace is scaled: as {other.footprint}, "
            f"{ranked[0].system.title} misses {', '.join(one.what for one in other.missed)}"
        )
        yield Note(code="footprint", text=text, decides=True)
    yield from _prices(request.question, ranked, cost)
    own = [state.now.design for one in found for state in one.states]
    if any(isinstance(one, OwnDesign) and '"hot"' in one.text for one in own):
        text = (
            'a system of yours begins with all that the run touches in its cache or tier (initial = "hot"): '
            "compare it with a family that begins so, too"
        )
        yield Note(code="own-warm", text=text, decides=True)
    fast = [
        one for family in families_of(request.question) for one in family.designs() if one.fast is not None
    ]
    if not all(is_warm(one, trials.workloads) for one in fast):
        text = (
            "caches and tiers begin with a random part of the data: the workloads touch more than they hold. "
            "What they would learn in days is not in a run of seconds, so they may do better than here"
        )
        yield Note(code="cold", text=text, decides=True)
    text = (
        "controllers and shelves are stand-ins: watts of a published array; "
        "prices and processor times are assumed"
        if request.question.chassis == "array"
        else "the box is a stand-in: its watts, price and processor times are assumed"
    )
    yield Note(code="stand-ins", text=text, decides=True)
    if request.question.grown > 1 or request.question.load_grown > 1:
        yield Note(
            code="growth",
            text="all of it is bought on the first day, for the data and the load of the last year",
        )
    if cost is not None:
        yield from (note for note in cost.book.notes if note.code == "book")


def _prices(question: StorageQuestion, ranked: Sequence[Confirmed], cost: Cost | None) -> Iterator[Note]:
    """How old the prices of the first two systems are, and what of the first is not drives."""
    devices = dict.fromkeys(name for one in ranked[:2] for name in one.system.design.devices)
    known = set(device_names())
    dated = []
    for name in devices:
        if name in known and name not in question.prices:
            file = device_file(name)
            of = file.price.date if file.price.usd and file.price.date else "by its class"
            dated.append(f"{file.title} ({of})")
    if dated:
        yield Note(code="price-dates", text=f"dates of the drives' prices: {'; '.join(dated)}", decides=True)
    if cost is None or question.chassis != "array" or not ranked:
        return
    system = ranked[0].system
    if isinstance(system.design, OwnDesign) or system.design.kind == "cluster":
        return
    bought = [one for one in cost.systems[0].components if one.group == "purchase"]
    total = sum(one.usd or 0.0 for one in bought)
    parts = sum(one.usd or 0.0 for one in bought if one.device is None)
    if parts > _PARTS * total:
        box = system.design.drives(system.count) <= NAS_BAYS
        text = (
            f"controllers and shelves are {numbers.percent(parts / total)} of what the cheapest system "
            "costs on the first day: state yours as prices.controller and prices.io-module"
        )
        yield Note(
            code="parts", text=text + (', or ask for one box: chassis = "nas"' if box else ""), decides=True
        )

"""What ``iowatt durability`` shows: how likely data is lost, by what, and what would change that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.lenses.durability.result import Durability, DurabilityChange, InputFigure, LossCause
from iowatt.pages.rebuilds import HOW
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Exact, Figure, Labelled, Table, axis, layout
from iowatt.render.headline import Headline

CAUSES: Final = {
    "drives": "more failed drives than it survives",
    "errors": "unreadable sectors in a rebuild",
    "enclosures": "enclosures",
    "nodes": "nodes",
    "racks": "racks",
    "cache": "data in the cache alone",
}
_NOW: Final = "as it is"
_NOT_NEGLIGIBLE: Final = 0.005
_SAME: Final = 0.005
_BASES: Final = {
    "run": "simulated in the Run",
    "simulated": "simulated here",
    "stated": "stated",
    "given": "given",
}
_MOST_REBUILDS: Final = 3


def document(found: Durability) -> Document:
    """The document of a durability."""
    over = f"in {numbers.years(found.years)}"
    return Document(
        key="durability",
        kind="durability",
        title=found.name,
        meta=f"{_gb(found.user_gb)} of data in {_gb(found.usable_gb)} usable · {over} · "
        f"by {_methods(found)} · {'modelled' if found.modelled else 'measured'} load",
        verdict=list(_verdict(found)),
        chart=_changes(found),
        headlines=_headlines(found),
        sections=[
            Section("causes", "Causes of loss", [_causes(found)]),
            Section("groups", "Redundancy groups", [_groups(found)]),
            Section("inputs", "Inputs", [_drives(found), _rebuilds(found)]),
            Section("assumptions", "Assumptions and their sources", [_assumptions(found)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _headlines(found: Durability) -> list[Headline]:
    loss, year = found.loss_over_horizon.value, found.loss_per_year.value
    degraded = f"degraded {numbers.significant(found.degraded_hours_per_year)} h per year"
    sure, likely = numbers.probability(loss), numbers.probability(year)
    horizon = numbers.years(found.years)
    return [
        Headline("loss", f"Data loss in {horizon}", loss, "", numbers.one_in(loss), sure),
        Headline("year", "Data loss per year", year, "", _nines(found.nines, "a year without"), likely),
        Headline("bytes", "Lost per year", found.bytes_lost_per_year, "B", _nines(found.nines_of_data)),
        Headline(
            "unavailable", "Unavailable per year", 60 * found.unavailable_hours_per_year, "min", degraded
        ),
    ]


def _verdict(found: Durability) -> Iterator[str]:
    interval, horizon = found.loss_over_horizon, numbers.years(found.years)
    chance, by = numbers.one_in(interval.value), _mostly(found.causes)
    if found.overload:
        yield (
            f"The system {found.overload}: do not plan with its rebuild time, or with the figures that "
            "depend on it."
        )
    yield (
        f"Probability of data loss: {numbers.probability(interval.value)} in {horizon}"
        f"{f' ({chance})' if chance else ''}{f', mostly from {by}' if by else ''}."
    )
    yield f"Expected loss: {numbers.with_unit(found.bytes_lost_per_year, 'B')} per year{_bytes_by(found)}."
    if interval.low < interval.high:
        low, high = numbers.probability(interval.low), numbers.probability(interval.high)
        yield f"95 % interval: {low} to {high}."
    yield from _rebuild_times(found)
    yield from _other_redundancy(found.changes)


def _bytes_by(found: Durability) -> str:
    """What most of the expected bytes are lost by, where it is not what most losses are by."""
    if not found.causes or not found.bytes_lost_per_year:
        return ""
    most = max(found.causes, key=lambda cause: cause.bytes_lost_per_year)
    if most == found.causes[0]:
        return ""
    part = most.bytes_lost_per_year / found.bytes_lost_per_year
    share = "nearly all of it" if part > 0.995 else f"{numbers.percent(part)} of it"
    chance = f"{numbers.probability(most.loss_over_horizon)} in {numbers.years(found.years)}"
    return f", {share} from {_named(most, found.causes)} (probability {chance})"


def _rebuild_times(found: Durability) -> Iterator[str]:
    for one in found.rebuilds[:_MOST_REBUILDS]:
        of = f" of {one.pool}" if len(found.rebuilds) > 1 else ""
        takes = "would take" if found.overload else "takes"
        delay_s = max((group.delay_s for group in found.groups if group.pool == one.pool), default=0.0)
        begins = f", and starts {numbers.duration(delay_s)} after the failure" if delay_s else ""
        yield f"Rebuilding a drive{of} {takes} {numbers.duration(one.seconds)}, {HOW[one.basis]}{begins}."


def _other_redundancy(changes: list[DurabilityChange]) -> Iterator[str]:
    now = changes[0]
    for change in changes[1:]:
        if not change.survives_more or not change.better:
            continue
        chance, likely = numbers.probability(change.loss_over_horizon), _likely(change.better)
        if abs(change.better - 1) < _SAME:
            yield f"With {change.change} a loss is {likely} ({chance})."
        elif change.survives_more > 0:
            yield f"With {change.change} a loss is {likely} ({chance}), {_price(change, now)}."
        else:
            yield f"With {change.change} it would be {likely} ({chance}), {_price(change, now)}."


def _likely(better: float) -> str:
    """How likely a loss is beside the system as it is."""
    if abs(better - 1) < _SAME:
        return "as likely"
    times, how = (better, "less likely") if better > 1 else (1 / better, "as likely")
    return f"{numbers.significant(numbers.rounded_to(times, 3))} times {how}"


def _price(change: DurabilityChange, now: DurabilityChange) -> str:
    """What a change takes or frees: drives, or usable capacity of the same drives."""
    if change.drives_more:
        many = abs(change.drives_more)
        drives = f"{many:,} {'more' if change.drives_more > 0 else 'fewer'} drive{'' if many == 1 else 's'}"
        return f"with {drives} for the same data"
    share = numbers.percent(abs(1 - change.usable_gb / now.usable_gb))
    return f"with {share} {'less' if change.usable_gb < now.usable_gb else 'more'} usable capacity"


def _mostly(causes: list[LossCause]) -> str:
    if not causes:
        return ""
    share = "" if causes[0].share > 0.995 else f" ({numbers.percent(causes[0].share)})"
    return f"{_named(causes[0], causes)}{share}"


def _named(cause: LossCause, causes: list[LossCause]) -> str:
    several = len({one.group for one in causes}) > 1
    where = f" of {cause.group}" if several and cause.cause != "cache" else ""
    return f"{CAUSES[cause.cause]}{where}"


def _methods(found: Durability) -> str:
    used = {group.method for group in found.groups}
    return " and ".join(
        name for key, name in (("markov", "Markov chain"), ("monte-carlo", "Monte Carlo")) if key in used
    )


def _changes(found: Durability) -> Figure:
    """Loss over the horizon as it is and with one thing changed, on a logarithmic axis."""
    columns = [
        Column("System", text=True), _Probability(f"Data loss in {numbers.years(found.years)}"),
        _Probability("In the first year", rank=1), Column("Lost per year", rank=2),
        Column("Usable", "TB", rank=1), Column("Data", "TB", rank=2), Column("Drives", "more", rank=2),
        Column("A loss is"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.change, _shown(one.loss_over_horizon), _shown(one.loss_per_year),
            _bytes(one.bytes_lost_per_year),
            one.usable_gb / 1e3, one.user_gb / 1e3, one.drives_more,
            None if one.change == _NOW or one.better is None else Labelled(one.better, _likely(one.better)),
        ]
        for one in found.changes
    ]  # fmt: skip
    shown = list(reversed(found.changes))
    bars = [
        plot.bar(
            plot.positive([one.loss_over_horizon for one in shown]),
            [one.change for one in shown],
            colour=[palette.P95 if one.change == _NOW else palette.BAR for one in shown],
            hover="%{y}: %{x:.2e}<extra></extra>",
            orientation="h",
            text=[numbers.probability(one.loss_over_horizon) for one in shown],
            textposition="auto",
        )
    ]
    drawn = layout(
        axis(
            f"Probability of data loss in {numbers.years(found.years)}",
            type="log",
            dtick=1,
            exponentformat="power",
        ),
        axis("", automargin=True),
        showlegend=False,
        bargap=0.35,
    )
    caption = (
        "Each row changes one thing, by the same engine and random streams, with the same data where it "
        "fits. The last column leaves out differences within the trials' intervals. "
        'Rebuilds in 8 x 4 MiB: `rebuild.outstanding = 8`, `rebuild.step = "4MiB"`.'
    )
    return Figure(
        "changes", "Alternatives", caption, Table(columns, rows), plot.spec(bars, drawn), brief=True
    )


class _Probability(Column):
    """A column of probabilities, each as a percentage or a power of ten."""


def _bytes(value: float) -> Labelled:
    return Labelled(value, numbers.with_unit(value, "B"))


def _shown(value: float) -> Labelled:
    return Labelled(value, numbers.probability(value))


def _causes(found: Durability) -> Figure:
    columns = [
        Column("Group", text=True), Column("Cause", text=True),
        _Probability(f"Data loss in {numbers.years(found.years)}"), Column("Share", "%"),
        Column("Lost per year"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.group,
            CAUSES[one.cause],
            _shown(one.loss_over_horizon),
            100 * one.share,
            _bytes(one.bytes_lost_per_year),
        ]
        for one in found.causes
        if one.share > _NOT_NEGLIGIBLE
        or one.bytes_lost_per_year > _NOT_NEGLIGIBLE * found.bytes_lost_per_year
    ]
    caption = "Causes of the first loss; those below 0.5 % of probability and bytes are left out."
    return Figure("causes", "Causes of loss", caption, Table(columns, rows), brief=True)


def _groups(found: Durability) -> Figure:
    columns = [
        Column("Group", text=True), Column("Scheme", text=True), Column("Data", "GB", rank=1),
        Column("Spares", rank=2), Column("Rebuild", text=True), _Probability("Loss per year"),
        _Probability("Of drives", rank=1), Column("MTTDL", "years", rank=1),
        Column("Degraded", "h/year", rank=1), Column("Unavailable", "min/year", rank=2),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.name, one.title, one.user_gb, one.spares,
            numbers.duration(one.rebuild_s) if one.survives else None, _shown(one.loss_per_year.value),
            _shown(one.group_loss_over_horizon.value), one.mttdl_years, one.degraded_hours_per_year,
            60 * one.unavailable_hours_per_year,
        ]
        for one in found.groups
    ]  # fmt: skip
    caption = (
        "Of drives: losing more drives than the group survives, over the horizon, not single sectors. The "
        "mean time to data loss assumes a constant rate: it tells neither how much is lost nor how likely."
    )
    return Figure("groups", "Redundancy groups", caption, Table(columns, rows), wide=True, brief=True)


def _drives(found: Durability) -> Figure:
    columns = [
        Column("Drive", text=True), Column("Figure", text=True), Exact("Value", digits=3),
        Column("Unit", text=True), Column("Basis", text=True), Column("Source", text=True, rank=1),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for one in found.drives:
        rows += [
            [one.model, *_input("failures", one.afr, "/year")],
            [one.model, *_input("unrecoverable read errors", one.uber, "/bit")],
            [one.model, *_input("latent sector errors", one.latent, "/year")],
        ]
    return Figure("drives", "Drives", "Failure and error rates.", Table(columns, rows), wide=True, brief=True)


def _input(name: str, figure: InputFigure, unit: str) -> list[Cell]:
    return [name, figure.value, unit, figure.basis, figure.source]


def _rebuilds(found: Durability) -> Figure:
    columns = [
        Column("Pool", text=True), Column("Rebuild of a drive", text=True), Column("Rate", "MB/s"),
        Column("Basis", text=True), Column("Simulated", "% of the drive", rank=1),
        Column("How", text=True, rank=1),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.pool, numbers.duration(one.seconds), one.bytes_per_s / 1e6, _BASES[one.basis],
            100 * one.simulated_share, one.text,
        ]
        for one in found.rebuilds
    ]  # fmt: skip
    caption = "Under the load, where it was simulated."
    return Figure("rebuilds", "Rebuilds", caption, Table(columns, rows), wide=True, brief=True)


def _assumptions(found: Durability) -> Figure:
    columns = [
        Column("Key", text=True), Column("Value", text=True), Column("Quality", text=True),
        Column("Source", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.key,
            one.value if isinstance(one.value, str) else f"{one.value:g} {one.unit}".rstrip(),
            one.quality,
            one.source + (f" ({one.date})" if one.date else ""),
        ]
        for one in found.assumptions
    ]
    caption = "All book figures that the result depends on; --assume KEY=VALUE changes one."
    return Figure("assumptions", "Assumptions", caption, Table(columns, rows), wide=True)


def _nines(nines: float | None, of: str = "durability of an object") -> str:
    return "" if nines is None else f"{of}: {nines:.1f} nines"


def _gb(gb: float) -> str:
    return numbers.with_unit(gb * 1e9, "B")

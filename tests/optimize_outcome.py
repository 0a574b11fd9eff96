"""Outcomes of `iowatt optimize` by hand: a small array in closed form, so that every answer is known."""

from __future__ import annotations

import itertools
import math

import polars as pl

from iowatt.evaluate.search.optimize.outcome import NOT_EXPLAINED
from iowatt.evaluate.search.optimize.result import Optimization
from iowatt.evaluate.search.optimize.sensitivity import explain_winner

COUNT, LEVEL, UNIT = (
    "array.pool.disks.count",
    "array.pool.disks.raid.level",
    "array.pool.disks.raid.stripe_unit",
)
DEVICE, CACHE = "array.pool.disks.device", "array.controller.cache.size"
IOPS, WATTS, EFFICIENCY = "throughput.iops", "power_w.mean", "efficiency.iops_per_w"
RESPONSE, USABLE, DRIVES = "response_time_ms.all.mean", "capacity_gb.usable", "devices.count"

TITLES = {
    EFFICIENCY: ("Efficiency", "IOPS/W"),
    WATTS: ("Mean power", "W"),
    RESPONSE: ("Mean response time", "ms"),
    USABLE: ("Usable capacity", "GB"),
    IOPS: ("Throughput", "IOPS"),
}
_UNITS = {"16KiB": 0.93, "64KiB": 1.0, "256KiB": 0.97}
_DRIVES = {"savvio-15k2": (300.0, 7.4, 146.0), "savvio-10k3": (210.0, 5.2, 300.0)}


def axis(path, values, ordered=True):
    names = [".".join(path.split(".")[-2:]) if path == LEVEL else path.split(".")[-1]]
    return {"columns": [path], "names": names, "values": [[v] for v in values], "ordered": ordered}


def array(point):
    """An array in closed form: drives, parity, a controller that limits, watts."""
    count, level = point[COUNT], point.get(LEVEL, 5)
    rate, watts, gb = _DRIVES[point.get(DEVICE, "savvio-15k2")]
    unit = _UNITS[point.get(UNIT, "64KiB")]
    hit = 0.3 * math.log2(1 + point.get(CACHE, 4)) / 5
    penalty = {5: 1.9, 10: 1.3}[level]
    drives, controller = (
        count * rate * unit / penalty / (1 - hit),
        21_000 * {5: 0.9, 10: 1.0}[level] / penalty * 1.3,
    )
    iops = 1 / (1 / drives**6 + 1 / controller**6) ** (1 / 6)
    power = 420 + 60 * math.ceil(count / 25) + count * watts + 6 * point.get(CACHE, 4)
    return {
        IOPS: iops,
        WATTS: power,
        EFFICIENCY: iops / power,
        RESPONSE: 4 + 16 * (drives / controller) ** 2 / (1 + (drives / controller) ** 2),
        USABLE: gb * (count / 2 if level == 10 else count * 0.8),
        DRIVES: count,
        "bottleneck": "disks" if drives < controller else "controller back end",
    }


def goal(metric, direction):
    title, unit = TITLES[metric]
    return {"metric": metric, "direction": direction, "title": title, "unit": unit}


def limit(metric, operator, value):
    title, unit = TITLES.get(metric, ("", ""))
    text = f"{metric} {operator} {value:g}"
    return {
        "metric": metric, "operator": operator, "value": value, "text": text, "title": title, "unit": unit,
    }  # fmt: skip


def keeps(row, limits):
    test = {"<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}
    return [one["text"] for one in limits if not test[one["operator"]](row[one["metric"]], one["value"])]


def outcome(axes, goals, limits=(), model=array, *, simulate=None, estimator=True, prune=None, within=None):
    """A document with its frame.

    ``simulate(number, point)`` says which points are simulated (left out: all), ``prune(number, row)`` gives
    a reason.
    """
    rows = []
    for number, values in enumerate(itertools.product(*(one["values"] for one in axes)), 1):
        point = {
            path: value
            for one, given in zip(axes, values, strict=True)
            for path, value in zip(one["columns"], given, strict=True)
        }
        rows.append(
            _row(number, point, goals, limits, model, simulate=simulate, estimator=estimator, prune=prune)
        )
    done = [row for row in rows if row["status"] == "simulated" and row["feasible"]]
    signs = [1 if one["direction"] == "maximize" else -1 for one in goals]
    scores = {row["point"]: [s * row[g["metric"]] for s, g in zip(signs, goals, strict=True)] for row in done}
    front = [n for n, mine in scores.items() if not any(_beats(other, mine) for other in scores.values())]
    front.sort(key=lambda n: [-value for value in scores[n]])
    for row in rows:
        row["on_front"] = row["point"] in front
    winner = _knee(front, scores)
    errors = {
        one["metric"]: found
        for one in ([*goals, *limits] if estimator else ())
        if (found := _errors(rows, one["metric"])) is not None
    }
    counted = {
        word: sum(row["status"] == word for row in rows) for word in ("refused", "pruned", "simulated")
    }
    document = {
        "version": "0.9", "scenario": "peak", "seed": 1,
        "command": "iowatt optimize peak.toml --over ...",
        "method": "exact" if simulate is None else "search",
        "objectives": list(goals), "constraints": list(limits),
        "judged": {"within_ms": within, "statistic": "mean" if within else None},
        "axes": list(axes),
        "space": {
            "size": len(rows), "known_infeasible": 0, "failed": 0, "untouched": 0, **counted,
            "estimated": len(rows) - counted["refused"] if estimator else 0,
        },
        "estimator": {
            "used": estimator, "why_not": None if estimator else "tiers are not estimated",
            "points": len(done), "pilots": 2 if estimator else 0, "errors": errors,
        },
        "front": front, "knee": winner if len(front) > 2 else None, "winner": winner,
        "winner_by": "the only objective" if len(goals) == 1 else "the knee of the front",
        "nearest": None
        if winner is not None
        else min((row["point"] for row in rows if row["status"] == "simulated"), default=None),
        "proof": "exact" if simulate is None else "not proven",
        "warnings": [], "basis": None, "pricing": None,
        "notes": [{"code": "modelled", "text": "Power is that of the drives and the controller, modelled."}],
        "why": NOT_EXPLAINED,
    }  # fmt: skip
    return Optimization.model_validate(document), pl.DataFrame(rows, infer_schema_length=None)


def explained(document, frame):
    """The document with why its winner wins."""
    return document.model_copy(update={"why": explain_winner(document, frame)})


def _row(number, point, goals, limits, model, *, simulate, estimator, prune):
    truth = model(point)
    bottleneck = truth.pop("bottleneck", None)
    row = {"point": number, **point, "status": "estimated", "error": None, "reason": None, "feasible": None}
    row |= {"on_front": False, "violated": None, "bottleneck": bottleneck if estimator else None}
    # An estimator that is a little high, and not always by as much.
    wrong = 1.03 + 0.02 * math.sin(number)
    for one in dict.fromkeys(part["metric"] for part in [*goals, *limits]):
        exact = one in (USABLE, DRIVES)
        row[f"estimate.{one}"] = (truth[one] if exact else truth[one] * wrong) if estimator else None
    reason = prune(number, truth) if prune else None
    if reason:
        row |= {"status": "pruned", "reason": reason}
    elif simulate is None or simulate(number, point):
        row |= {"status": "simulated", "overloaded": False}
    simulated = row["status"] == "simulated"
    if simulated:
        broken = keeps(truth, limits)
        row |= {"feasible": not broken, "violated": "; ".join(broken) or None}
    return (
        row
        | {key: value if simulated else None for key, value in truth.items()}
        | {"overloaded": False if simulated else None}
    )


def _beats(a, b):
    return all(x >= y for x, y in zip(a, b, strict=True)) and a != b


def _knee(front, scores):
    if not front:
        return None
    spans = [(max(column), min(column)) for column in zip(*(scores[n] for n in front), strict=True)]
    return min(
        front,
        key=lambda n: sum(
            (top - v) / ((top - low) or 1) for v, (top, low) in zip(scores[n], spans, strict=True)
        ),
    )


def _errors(rows, metric):
    found = sorted(
        abs(row[f"estimate.{metric}"] / row[metric] - 1) * 100 for row in rows if row["status"] == "simulated"
    )
    if not found:
        return None
    return {
        "points": len(found),
        "median_percent": found[len(found) // 2],
        "p95_percent": found[int(0.95 * (len(found) - 1))],
        "worst_percent": found[-1],
        "bias_percent": 3.0,
    }


COUNTS = axis(COUNT, list(range(24, 145, 5)))
LEVELS = axis(LEVEL, [5, 10], ordered=False)
UNITS = axis(UNIT, ["16KiB", "64KiB", "256KiB"])
DEVICES = axis(DEVICE, list(_DRIVES), ordered=False)
CACHES = axis(CACHE, [1, 2, 4, 8, 16])


def one(**more):
    """Highest efficiency of at least 7 TB; RAID-10 would be better but is too small."""
    return outcome(
        [COUNTS, LEVELS, UNITS], [goal(EFFICIENCY, "maximize")], [limit(USABLE, ">=", 7000)], **more
    )


def two(**more):
    goals = [goal(EFFICIENCY, "maximize"), goal(RESPONSE, "minimize")]
    return outcome([COUNTS, LEVELS, UNITS, DEVICES], goals, [limit(USABLE, ">=", 7000)], **more)


def three(**more):
    goals = [goal(IOPS, "maximize"), goal(WATTS, "minimize"), goal(RESPONSE, "minimize")]
    return outcome([COUNTS, LEVELS, UNITS, DEVICES], goals, [limit(RESPONSE, "<=", 18)], **more)


def nothing(**more):
    """No point is large enough."""
    return outcome([COUNTS, LEVELS], [goal(EFFICIENCY, "maximize")], [limit(USABLE, ">=", 90_000)], **more)


def large():
    """5,000 points, of which an estimator's choice is simulated."""
    counts, caches = axis(COUNT, list(range(10, 260, 3))[:84]), axis(CACHE, [1, 2, 4, 8, 16])
    goals = [goal(EFFICIENCY, "maximize"), goal(RESPONSE, "minimize")]
    return outcome(
        [counts, LEVELS, UNITS, DEVICES, caches], goals,
        [limit(USABLE, ">=", 7000), limit(WATTS, "<=", 2500)],
        simulate=lambda number, point: number % 17 == 0,
        prune=lambda number, row: "power_w.mean is at least 2,700 W" if row[WATTS] > 2700 else None,
    )  # fmt: skip

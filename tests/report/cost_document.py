"""A document iowatt.cost/1 made by hand: three systems of disks and SSDs, priced by plain arithmetic."""

from __future__ import annotations

import math

from iowatt.lenses.cost.result.costs import Cost
from iowatt.lenses.equal_terms import Delivered, equal_terms

YEAR = 365 * 86_400
FIGURES = {
    "purchase.price.hdd-to-6tb": ("USD/GB", "Price of a class of drives.", 0.035, 0.027, 0.044),
    "purchase.price.ssd-sata": ("USD/GB", "Price of a class of drives.", 0.114, 0.066, 0.221),
    "energy.factor": ("", "What all prices of the tariff are multiplied by.", 1.0, 0.7, 1.5),
    "cooling.pue": ("", "Power usage effectiveness.", 1.54, 1.1, 1.8),
    "wear.endurance_factor": ("", "What drives last over what they are rated.", 1.0, 1.0, 2.5),
    "wear.service_life": ("years", "After which a drive is replaced, worn or not.", 5.0, 4.0, 7.0),
    "failures.afr.hdd": ("/year", "Annual failure rate by kind.", 0.0157, 0.0135, 0.0171),
    "failures.afr.ssd": ("/year", "Annual failure rate by kind.", 0.0098, 0.009, 0.0105),
    "failures.labour": ("USD", "Work of replacing one drive.", 50.0, 20.0, 200.0),
    "discount.rate": ("/year", "By which later dollars count less.", 0.05, 0.0, 0.08),
    "carbon.grid": ("g/kWh", "Emissions of electricity.", 481.0, 300.0, 713.0),
    "carbon.embodied.survey.ssd": ("kg/GB", "Embodied carbon.", 0.16, 0.0029, 0.16),
    "carbon.embodied.survey.hdd": ("kg/GB", "Embodied carbon.", 0.02, 0.001, 0.0205),
}
DRIVES = {
    "hdd": ("seagate-barracuda-xt-2tb", "purchase.price.hdd-to-6tb", 2000.0),
    "ssd": ("intel-320-300gb", "purchase.price.ssd-sata", 300.0),
}
#: Name, seconds of the work, watts, and by drive: kind and the share of its life that one work uses.
SYSTEMS = (
    ("tiering", 300.0, 9.5, (("ssd", 2e-6), ("hdd", 1e-8))),
    ("caching", 340.0, 9.1, (("ssd", 6e-6), ("hdd", 1e-8))),
    ("disks only", 900.0, 14.0, (("hdd", 1e-8), ("hdd", 1e-8))),
)
PRICE = 0.15
#: Names that a page or a spreadsheet might run.
HOSTILE = ["<script>alert(1)</script>", "=cmd()|' /C calc'!A0", "</script><img src=x onerror=alert(1)>"]


def document(*, basis="time", amount=8.0, book=None, names=None):
    """The document for a horizon; ``book`` has other values of figures, ``names`` other names of systems."""
    values = {key: figure[2] for key, figure in FIGURES.items()} | (book or {})
    horizon = {"basis": basis, "amount": amount}
    horizon["said"] = f"{amount:g} years" if basis == "time" else f"{amount:,.0f} times the same work"
    systems = [_system(one, horizon, values) for one in SYSTEMS]
    for system, name in zip(systems, names or (), strict=False):
        system["name"] = name
    repeats = systems[0]["repeats"]
    other = (
        {"basis": "work", "amount": repeats}
        if basis == "time"
        else {"basis": "time", "amount": systems[0]["years"]}
    )
    other["said"] = "as much work as the first does" if basis == "time" else "as long as the first takes"
    others = [_system(one, other, values) for one in SYSTEMS]
    first = systems[0]
    return {
        "schema": "iowatt.cost/1",
        "start": "2026-01-01",
        "horizon": horizon,
        "modelled": True,
        "tariff": {
            "key": "flat:0.15", "name": "0.15 USD/kWh", "utility": "", "source": "given", "verified": True,
            "effective": [None, None], "notes": [],
        },
        "book": {"name": "default", "title": "What is assumed", "lineage": ["default"],
                 "notes": [note("book", "a note")],
                 "cautions": []},
        "assumptions": [
            {
                "key": key, "unit": unit, "text": text, "value": values[key], "low": low, "high": high,
                "source": "made up for tests", "date": "2026-01", "quality": "assumed", "note": "",
            }
            for key, (unit, text, _, low, high) in FIGURES.items()
        ] + [
            {
                "key": "purchase.charge", "unit": "", "text": "Whole drives or parts.", "value": "device",
                "low": None, "high": None, "source": "drives are bought whole", "date": None,
                "quality": "defined", "note": "",
            }
        ],
        "choice": choice(systems),
        "systems": systems,
        "other": {
            "horizon": other,
            "systems": [
                {"name": one["name"], "repeats": same["repeats"], "years": same["years"], "usd": same["usd"],
                 "by_group": same["by_group"]}
                for one, same in zip(systems, others, strict=True)
            ],
        },
        "comparison": [
            {
                "a": first["name"], "b": one["name"], "usd": one["usd"] - first["usd"],
                "share": one["usd"] / first["usd"] - 1, "usd_equal": one["usd_equal"] - first["usd_equal"],
                "share_equal": one["usd_equal"] / first["usd_equal"] - 1,
            }
            for one in systems[1:]
        ],
        "uncertainty": _uncertainty(systems),
        "tornado": _tornado(systems),
        "crossovers": _crossovers(systems),
    }  # fmt: skip


def cost(**options):
    """The same as a model."""
    return Cost.model_validate(document(**options))


def note(code, text, decides=False):
    """A note of a document."""
    return {"code": code, "text": text, "decides": decides}


def choice(systems, late=()):
    """``choice`` of systems without those called ``late``; gives systems their totals on equal terms."""
    ranked = [one for one in systems if one["name"] not in late]
    sizes = [one["capacity_gb"]["usable"] for one in ranked]
    given = [_delivered(one, once=len({one["repeats"] for one in ranked}) == 1) for one in ranked]
    terms = equal_terms(given)
    for one in systems:
        one |= {"copies": None, "usd_equal": None}
    for one, what in zip(ranked, given, strict=True):
        copies = terms.copies(what)
        one |= {"copies": copies, "usd_equal": copies * one["usd"]}
    names = {
        "equal": min((one["usd_equal"], one["name"]) for one in ranked)[1] if ranked else None,
        "total": min((one["usd"], one["name"]) for one in ranked)[1] if ranked else None,
        "per_usable_tb": min((one["usd_per_usable_tb"], one["name"]) for one in ranked)[1]
        if ranked and all(sizes)
        else None,
    }
    return {
        "level": None,
        "baseline": ranked[0]["name"] if ranked else None,
        "candidates": [one["name"] for one in ranked],
        "excluded": [
            {"system": name, "late": True, "why": "it completed 11 % of the requests"} for name in late
        ],
        "capacities_differ": terms.capacities_differ,
        "terms": terms.as_dict(),
        "cheapest": names,
    }


def _delivered(system, *, once):
    work = system["work"]
    requests = work["requests"]
    return Delivered(
        work=requests if once else requests / work["duration_s"],
        request_bytes=work["bytes_moved"] / requests,
        usable_gb=system["capacity_gb"]["usable"],
    )


def _system(made, horizon, values):
    name, work_s, watts, drives = made
    repeats = horizon["amount"] * YEAR / work_s if horizon["basis"] == "time" else horizon["amount"]
    seconds = repeats * work_s
    years = seconds / YEAR
    kwh_once = watts * work_s / 3.6e6
    found, components = [], []
    for number, (kind, fraction) in enumerate(drives):
        model, price_key, gb = DRIVES[kind]
        price = gb * values[price_key]
        life = min(work_s * values["wear.endurance_factor"] / fraction / YEAR, values["wear.service_life"])
        again = max(0, math.ceil(years / life - 1e-9) - 1)
        worn = f"{{repeats}}*({fraction!r}/{{wear.endurance_factor}})"
        label = f"{kind}-{number}"
        found.append(
            {
                "name": label, "model": model, "pool": kind, "kind": kind, "capacity_gb": gb, "used_gb": 1.0,
                "price_usd": price, "price_expression": f"{gb!r}*{{{price_key}}}",
                "price_source": "made up for tests", "price_date": "2026-01", "price_extrapolated": False,
                "wear": {
                    "fraction": fraction / values["wear.endurance_factor"],
                    "by": "bytes_written" if kind == "ssd" else "start_stop_cycles",
                    "ratios": {"bytes_written": fraction}, "life_years": life,
                    "formula": "", "source": "", "note": "",
                },
                "lives": years / life, "served": again + 1,
                "lives_expression": f"MAX({worn},{{years}}/{{wear.service_life}})",
                "replacements": [
                    {"at_years": life * (n + 1), "reason": "worn", "usd": price} for n in range(again)
                ],
            }
        )  # fmt: skip
        components.append(
            _component(f"purchase.{label}", "purchase", label, price, "{price}", [price_key], gb, "GB",
                       values[price_key], [{"usd": price, "at_s": 0.0, "until_s": None}])
        )  # fmt: skip
        components.append(
            _component(f"wear.{label}", "wear", label, again * price,
                       "{price}*({served}-1)",
                       [price_key, "wear.endurance_factor", "wear.service_life"], float(again), "drives",
                       price,
                       [{"usd": price, "at_s": life * (n + 1) * YEAR, "until_s": None} for n in range(again)])
        )  # fmt: skip
        afr = f"failures.afr.{kind}"
        components.append(
            _even(f"failures.{label}", "failures", label,
                  values[afr] * years * (price + values["failures.labour"]),
                  f"{{{afr}}}*{{years}}*({{price}}+{{failures.labour}})",
                  [afr, "failures.labour", price_key], None, "", None, seconds)
        )  # fmt: skip
    energy = kwh_once * repeats * PRICE * values["energy.factor"]
    components.append(
        _even("energy", "energy", None, energy,
              f"{kwh_once!r}*{{repeats}}*{PRICE!r}*{{energy.factor}}", ["energy.factor"],
              kwh_once * repeats, "kWh", PRICE, seconds)
    )  # fmt: skip
    components.append(
        _even("cooling", "cooling", None, energy * (values["cooling.pue"] - 1),
              "{usd:energy}*({cooling.pue}-1)", ["cooling.pue", "energy.factor"], None, "", None, seconds)
    )  # fmt: skip
    kw = watts / 1000
    demand = kw * 12 * years * 20.0
    components.append(
        _even("demand", "demand", None, demand, f"{kw * 12 * years!r}*20.0", [], kw * 12 * years, "kW-months",
              20.0, seconds)
    )  # fmt: skip
    credit = -0.05 * components[0]["usd"]
    kind = drives[0][0]
    components.append(
        _component("residual", "credit", f"{kind}-0", credit, None, [DRIVES[kind][1]], None, "", None,
                   [{"usd": credit, "at_s": seconds, "until_s": None}])
    )  # fmt: skip
    rate = values["discount.rate"]
    for one in components:
        one["present_usd"] = math.fsum(_present(flow, rate) for flow in one["flows"])
    groups: dict[str, float] = {}
    for one in components:
        groups[one["group"]] = groups.get(one["group"], 0.0) + one["usd"]
    usd = math.fsum(one["usd"] for one in components)
    gb = {kind: sum(DRIVES[k][2] for k, _ in drives if k == kind) for kind in ("ssd", "hdd")}
    operational = kwh_once * repeats * values["cooling.pue"] * values["carbon.grid"] / 1000
    embodied = sum(gb[kind] * values[f"carbon.embodied.survey.{kind}"] for kind in gb)
    usable = 1000.0 * len(drives)
    return {
        "name": name, "where": f"/tmp/{name}", "modelled": True, "power_basis": "device",
        "repeats": repeats, "seconds": seconds, "years": years,
        "work": {"duration_s": work_s, "requests": 60_000, "bytes_moved": 4.8e8, "response_ms": 5.0,
                 "response_p95_ms": 12.0, "energy_j": watts * work_s},
        "capacity_gb": {"raw": 2300.0, "usable": usable, "effective": usable},
        "kept_up": {"kept_up": True, "done_share": 1.0, "in_flight": None, "drain_s": None,
                    "late_share": None, "mean_ms": 5.0}, "usd_per_usable_tb": usd / usable * 1000,
        "loss_per_year": None, "loss_over_horizon": None, "rebuilds": [],
        "usd": usd, "present_usd": math.fsum(one["present_usd"] for one in components), "by_group": groups,
        "components": components,
        "bill": {
            "energy_kwh": kwh_once * repeats, "peak_kw": kw,
            "months": [
                {"month": f"{2026 + n // 12}-{n % 12 + 1:02d}", "kwh": kw * 730,
                 "energy_usd": kw * 730 * PRICE * (1.2 if 5 <= n % 12 <= 8 else 0.9), "demand_usd": kw * 20,
                 "fixed_usd": 0.0, "other_usd": 0.0}
                for n in range(math.ceil(years * 12))
            ],
        },
        "drives": found,
        "carbon": {
            "grid": {"key": "carbon.grid", "g_per_kwh": values["carbon.grid"], "source": "made up for tests"},
            "operational_kg": operational, "embodied_kg": embodied, "estimate": "survey",
            "operational_expression": f"{kwh_once!r}*{{repeats}}*{{cooling.pue}}*{{carbon.grid}}/1000",
            "embodied_expression": "+".join(
                f"{gb[kind]!r}*{{carbon.embodied.survey.{kind}}}" for kind in gb if gb[kind]
            ),
            "operational_rests_on": ["carbon.grid", "cooling.pue"],
            "embodied_rests_on": [f"carbon.embodied.survey.{kind}" for kind in gb if gb[kind]],
            "choices": [
                {"estimate": "act", "embodied_kg": embodied / 20, "source": ""},
                {"estimate": "survey", "embodied_kg": embodied, "source": ""},
            ], "note": "",
        },
        "views": [
            {"key": "usd_per_tbe_month", "title": "Per effective TB and month", "value": usd / usable * 1000
             / (12 * years), "unit": "USD/TBe/month", "formula": "total / effective TB / months",
             "source": "SNIA TCO", "note": ""},
            {"key": "usd_per_iops", "title": "Per IOPS", "value": usd / (60_000 / work_s),
             "unit": "USD/IOPS", "formula": "total / mean IOPS", "source": "", "note": ""},
        ],
        "spin_down": [], "cautions": [], "known_usd": usd, "year": None,
        "notes": [note("unpriced-parts", "parts without a price: 1 controller")],
    }  # fmt: skip


def _component(key, group, device, usd, expression, rests_on, quantity, unit, unit_price, flows):  # noqa: PLR0917
    return {
        "key": key, "group": group, "title": key.replace(".", " of ").capitalize(), "device": device,
        "usd": usd, "present_usd": usd, "quantity": quantity, "unit": unit, "unit_price": unit_price,
        "formula": "as the test says", "source": "made up for tests", "date": "2026-01",
        "scales": "once" if group == "purchase" else "work", "rests_on": rests_on, "note": "", "flows": flows,
        "expression": expression,
    }  # fmt: skip


def _even(key, group, device, usd, expression, rests_on, quantity, unit, unit_price, seconds):  # noqa: PLR0917
    flows = [{"usd": usd, "at_s": 0.0, "until_s": seconds}]
    return _component(key, group, device, usd, expression, rests_on, quantity, unit, unit_price, flows)


def _present(flow, rate):
    force = math.log1p(rate)
    start = flow["at_s"] / YEAR
    if force == 0.0:
        return flow["usd"]
    if flow["until_s"] is None:
        return flow["usd"] * math.exp(-force * start)
    length = flow["until_s"] / YEAR - start
    return flow["usd"] * math.exp(-force * start) * -math.expm1(-force * length) / (force * length)


def _quantiles(middle, spread):
    return {f"p{p}": middle + spread * z for p, z in ((5, -1.6), (25, -0.7), (50, 0.0), (75, 0.7), (95, 1.6))}


def _uncertainty(systems):
    return {
        "samples": 1000, "seed": 1, "dollars": "present", "method": "Latin hypercube; triangular.",
        "figures": [
            {"key": "energy.factor", "unit": "", "text": "What all prices are multiplied by.",
             "law": "triangular", "low": 0.7, "mode": 1.0, "high": 1.5}
        ],
        "systems": [
            {
                "name": one["name"], "usd": one["present_usd"], "mean": one["present_usd"] * 1.02,
                "sd": 40.0, "quantiles": _quantiles(one["present_usd"], 40.0),
                "curve": [one["present_usd"] + 0.8 * (n - 50) for n in range(1, 100)],
                "groups": [], "share_above": 0.5, "cheapest_share": share, "cheapest_per_tb_share": 1 - share,
                "cheapest_equal_share": share,
            }
            for one, share in zip(systems, (0.8, 0.2, 0.0), strict=True)
        ],
        "differences": [
            {"a": systems[0]["name"], "b": one["name"], "usd": one["usd"] - systems[0]["usd"], "mean": 1.0,
             "sd": 30.0, "quantiles": _quantiles(one["usd"] - systems[0]["usd"], 30.0),
             "curve": [one["usd"] - systems[0]["usd"] + 0.6 * (n - 50) for n in range(1, 100)],
             "share_above": 0.5, "share_b_cheaper": 0.2}
            for one in systems[1:]
        ],
    }  # fmt: skip


def _tornado(systems):
    def bars(usd):
        return [
            {"key": key, "unit": figure[0], "text": figure[1], "low": figure[3], "value": figure[2],
             "high": figure[4], "usd_low": usd - 9.0 / (n + 1), "usd_high": usd + 14.0 / (n + 1),
             "swing": 23.0 / (n + 1), "flips": n == 0}
            for n, (key, figure) in enumerate(list(FIGURES.items())[:6])
        ]  # fmt: skip

    first = systems[0]
    totals = [
        {"of": "total", "system": one["name"], "a": None, "b": None, "usd": one["usd"],
         "dollars": "present", "bars": bars(one["usd"]), "without_effect": ["carbon.grid"]}
        for one in systems
    ]  # fmt: skip
    differences = [
        {"of": "difference", "system": None, "a": first["name"], "b": one["name"],
         "usd": one["usd"] - first["usd"], "dollars": "present", "bars": bars(one["usd"] - first["usd"]),
         "without_effect": ["carbon.grid"]}
        for one in systems[1:]
    ]  # fmt: skip
    return totals + differences


def _crossovers(systems):
    first, second = systems[0]["name"], systems[1]["name"]
    at = [1.0 * n for n in range(1, 11)]
    return [
        {
            "of": "years", "unit": "years", "text": "How long the work goes on.", "value": 8.0, "low": 1.0,
            "high": 10.0, "ended_by": None, "dollars": "present", "axis": "linear",
            "course": {"at": at, "usd": {one["name"]: [one["usd"] * (0.4 + 0.08 * (n + 1) * (k + 1))
                                                       for n in at] for k, one in enumerate(systems)}},
            "cheapest": [{"from": 1.0, "until": 4.2, "system": second},
                         {"from": 4.2, "until": 10.0, "system": first}],
            "pairs": [
                {"a": first, "b": second,
                 "crossings": [{"at": 4.2, "lower": 4.2, "upper": 4.2, "kind": "cross",
                                "cheaper_below": second, "cheaper_above": first, "usd_below": -0.1,
                                "usd_above": 0.1, "also": []}],
                 "why": None,
                 "range": {"draws": 100, "seed": 1, "p5": 3.1, "p50": 4.3, "p95": 6.0, "share_crossing": 0.9,
                           "share_a_cheaper": 0.06, "share_b_cheaper": 0.04, "share_same": 0.0,
                           "share_reversed": 0.0}},
                {"a": first, "b": systems[2]["name"], "crossings": [],
                 "why": f"{first} is cheaper throughout, from 1 to 10", "range": None},
            ],
        },
        {
            "of": "energy.factor", "unit": "", "text": "What all prices of the tariff are multiplied by.",
            "value": 1.0, "low": 0.01, "high": 100.0, "ended_by": None, "dollars": "present", "axis": "log",
            "course": {"at": [0.01, 0.1, 1.0, 10.0, 100.0],
                       "usd": {one["name"]: [one["usd"] + k * f for f in (0.01, 0.1, 1.0, 10.0, 100.0)]
                               for k, one in enumerate(systems)}},
            "cheapest": [{"from": 0.01, "until": 100.0, "system": first}],
            "pairs": [{"a": first, "b": second, "crossings": [],
                       "why": f"{first} is cheaper throughout, from 0.01 to 100", "range": None}],
        },
    ]  # fmt: skip


def year():
    """What a system of a duty cycle has besides."""
    watts = [[10.0 * day + hour for hour in range(24)] for day in range(7)]
    cycle = {
        "name": "office", "title": "Office", "where": "office.toml", "measure": "iops",
        "week": [[1.0] * 24] * 7, "mean_day": [1.0] * 24, "months": [1.0] * 12, "holidays": [],
        "holiday": None, "growth_per_year": 0.0, "source": "", "date": None, "quality": "assumed",
        "notes": [],
    }  # fmt: skip
    return {
        "system": "tiering", "start": "2026-01-01", "measure": "iops", "highest": 100.0,
        "power_basis": "device", "modelled": True, "mean_w": 40.0, "requests": 1e6, "bytes_moved": 1e9,
        "response_ms": 5.0, "levels": [], "months": [], "notes": [],
        "mean_day": {"load": [1.0] * 24, "watts": [1.0] * 24},
        "cycle": cycle, "unit": "IOPS", "years": 1, "energy_kwh": 100.0,
        "highest_hour": {"when": "Monday, 14:00", "load": 9.0, "watts": 50.0, "response_ms": None},
        "week": {"days": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], "watts": watts, "load": watts},
        "by_load": [
            {"above": 0, "to": 0, "hours": 10, "kwh": 1.0}, {"above": 0, "to": 0.1, "hours": 20, "kwh": 2.0},
        ],
    }  # fmt: skip

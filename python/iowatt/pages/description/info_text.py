"""What `iowatt trace info` and `convert` found, in lines for people: a label and a sentence each."""

from __future__ import annotations

from typing import Any

from iowatt.pages.description.text import percent

Line = tuple[str, str]

# Sizes and names are shown up to this many; the JSON has more.
_SHOWN = 5


def lines(info: dict[str, Any]) -> list[Line]:
    """The statistics of one trace; warnings come last, each under the label ``warning``."""
    requests, order, sequential = info["requests"], info["order"], info["sequential"]
    shown = [
        ("trace", info["file"]),
        ("format", info["format"] + (" (detected)" if info["detected"] else "")),
        ("requests", _counted(requests)),
        *_over_time(info),
        ("bytes", _moved(info["bytes"])),
    ]
    shown += [
        (f"{kind} size", _sizes(info["sizes"][kind])) for kind in ("read", "write") if info["sizes"][kind]
    ]
    shown += [
        (
            "common sizes",
            ", ".join(
                f"{_bytes(s['bytes'])} {percent(s['share'])}" for s in _first(info["sizes"]["commonest"])
            ),
        ),
        ("footprint", _footprint(info["footprint"])),
        (
            "highest byte",
            f"{info['max_offset_bytes']:,} ({_bytes(info['max_offset_bytes'])}): what the volume must hold",
        ),
        ("sequential", _sequential(sequential)),
    ]
    if info["inter_arrival_s"] is not None and not info["untimed"]:
        shown.append(("inter-arrival", _gaps(info["inter_arrival_s"])))
    if not info["untimed"]:
        shown.append(("order", _order(order)))
    if info["response_ms"] is not None:
        shown.append(("response time", _responses(info["response_ms"])))
    shown += [(kind, _ranking(info[kind])) for kind in ("devices", "streams") if info[kind]["count"]]
    shown += [("note", text) for text in info["notes"]]
    shown += [("skipped", text) for text in requests["first_bad"]]
    shown += [("warning", text) for text in info["warnings"]]
    return shown


def converted(result: dict[str, Any]) -> list[Line]:
    """What a conversion wrote and what it had to mend."""
    shown = [
        ("written", f"{result['path']}: {result['requests']:,} requests, {_bytes(result['bytes'])}"),
        ("format", result["format"] + (" (detected)" if result["detected"] else "")),
        ("read share", _read_share(result)),
    ]
    if result["origin"]:
        shown.append(("origin", f"time 0 is {result['origin']}"))
    if result["reordered"]:
        shown.append(("order", f"{result['reordered']:,} records were out of order and were sorted"))
    shown += [("note", text) for text in result["notes"]]
    shown += [("skipped", text) for text in result["first_bad"]]
    if result["skipped_bad"] > len(result["first_bad"]):
        shown.append(("skipped", f"{result['skipped_bad']:,} malformed records in all"))
    shown += [("warning", text) for text in result["warnings"]]
    if result["long_gap"]:
        shown.append(("warning", result["long_gap"]))
    return shown


def _read_share(result: dict[str, Any]) -> str:
    reads, writes = result["reads"], result["writes"]
    other = [f"{result[kind]:,} {kind}" for kind in ("trims", "flushes") if result[kind]]
    share = percent(reads / (reads + writes)) if reads + writes else "none"
    return f"{share}: {reads:,} reads, {writes:,} writes" + "".join(f", {text}" for text in other)


def _over_time(info: dict[str, Any]) -> list[Line]:
    if info["untimed"]:
        return [("span", "no times are recorded, only an order")]
    rate = info["rate"]
    return [
        ("span", _span(info)),
        ("rate", f"{_number(rate['iops'])} per second, {_number(rate['mib_per_s'])} MiB/s"),
    ]


def _order(order: dict[str, Any]) -> str:
    return (
        f"{order['reordered']:,} out of order ({percent(order['reordered_share'])}), "
        f"{order['equal_stamps']:,} with an equal stamp ({percent(order['equal_share'])}), "
        f"stamps in steps of {_time(order['stamp_resolution_ns'] / 1e9)}"
    )


def _counted(requests: dict[str, Any]) -> str:
    text = (
        f"{requests['count']:,}: {requests['reads']:,} reads ({percent(requests['read_share'])}), "
        f"{requests['writes']:,} writes ({percent(1 - requests['read_share'])})"
    )
    other = [f"{requests[kind]:,} {kind}" for kind in ("trims", "flushes") if requests[kind]]
    return f"{text}; besides {' and '.join(other)}" if other else text


def _span(info: dict[str, Any]) -> str:
    span = info["span"]
    text = f"{_time(span['duration_s'])}, from {span['first_s']:,.6f} s to {span['last_s']:,.6f} s"
    return f"{text} after {info['origin']}" if info["origin"] else text


def _moved(moved: dict[str, Any]) -> str:
    return (
        f"{_bytes(moved['read'])} read ({percent(moved['read_share'])}), {_bytes(moved['written'])} written"
    )


def _sizes(sizes: dict[str, Any]) -> str:
    figures = ", ".join(f"{name} {_bytes(sizes[name])}" for name in ("min", "p50", "p90", "max"))
    return f"mean {sizes['mean']:,.1f} B, {figures}"


def _footprint(footprint: dict[str, Any]) -> str:
    text = (
        f"{_bytes(footprint['total_bytes'])} ({_bytes(footprint['read_bytes'])} read, "
        f"{_bytes(footprint['written_bytes'])} written) in blocks of {_bytes(footprint['block_bytes'])}"
    )
    return text if footprint["exact"] else f"about {text}, from one region in {footprint['sampled_one_in']}"


def _sequential(sequential: dict[str, Any]) -> str:
    text = f"{percent(sequential['share'])} of requests start where the one before ended"
    within = sequential["share_in_streams"]
    return text if within is None else f"{text}, {percent(within)} where the same stream's ended"


def _gaps(gaps: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {_time(gaps[name])}" for name in ("mean", "p50", "p99", "max"))
    return text if gaps["cv"] is None else f"{text}, coefficient of variation {gaps['cv']:.3g}"


def _responses(response: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {_time(response[name] / 1e3)}" for name in ("mean", "p50", "p99", "max"))
    return f"{text} (recorded for {response['count']:,} requests)"


def _ranking(ranking: dict[str, Any]) -> str:
    top = _first(ranking["top"])
    text = ", ".join(f"{name['name']} {percent(name['share'])}" for name in top)
    rest = ranking["count"] - len(top)
    return f"{ranking['count']:,}: {text}" + (f", {rest:,} more" if rest else "")


def _first(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return items[:_SHOWN]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _bytes(count: int) -> str:
    from iowatt.base.units import format_bytes  # the package loads pydantic

    binary = count < 1 << 20  # blocks count in 1024s, capacities in 1000s: the habits of scenarios
    return format_bytes(count, binary=binary)


def _time(seconds: float) -> str:
    from iowatt.base.units import format_duration

    return format_duration(seconds)

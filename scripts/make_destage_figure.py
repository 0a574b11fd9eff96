"""Draws docs/images/destage.svg: write response time against offered rate, and where the drives' N x / p is.

    python scripts/make_destage_figure.py

Runs examples/destage.toml at each rate, and once flooded to find the mean service time of an operation.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Final

import iowatt

ROOT: Final = Path(__file__).parents[1]
SCENARIO: Final = ROOT / "examples" / "destage.toml"
RATES: Final = (50, 100, 150, 200, 250, 300, 325, 350, 375, 390, 400, 410, 420, 440, 460, 480, 500)
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 70, 40
#: Decades of milliseconds on the axis.
LOW, HIGH = -2, 5


def capacity() -> tuple[float, float]:
    """N x / p, and the rate that is taken, in writes per second, where writes never lack."""
    summary = iowatt.run(
        SCENARIO, set={"workload.writes.profile.rate_iops": 1500, "observe.duration": "2min"}
    ).summary
    devices = summary["devices"]
    operations = sum(d["accesses"] for d in devices)
    service_s = sum(d["accesses"] * d["service_time_mean_ms"] for d in devices) / operations / 1e3
    each = operations / summary["cache"]["destages"]
    return len(devices) / (service_s * each), summary["throughput"]["iops"]


def main() -> None:
    """Run, draw and print the figures."""
    most, taken = capacity()
    table = iowatt.curve(SCENARIO, rates=RATES)
    points = list(zip(table["rate_iops"], table["response_time_ms.write.mean"], strict=True))
    said = [
        f"N x / p = {most:.0f}/s, taken {taken:.0f}/s",
        *(f"{rate:g} {mean:.4g}" for rate, mean in points),
    ]
    sys.stdout.write("\n".join(said) + "\n")

    def x(rate: float) -> float:
        return LEFT + (WIDTH - LEFT - 20) * rate / max(RATES)

    def y(mean: float) -> float:
        share = (math.log10(mean) - LOW) / (HIGH - LOW)
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 20) * share

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#808080">',
        "<title>Mean response time of writes against their rate</title>",
    ]
    for decade in range(LOW, HIGH + 1):
        at = y(10.0**decade)
        lines += [
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - 20}" stroke="#808080" stroke-opacity=".25"/>',
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**decade:g} ms</text>',
        ]
    for rate in range(0, max(RATES) + 1, 100):
        lines.append(f'<text x="{x(rate):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{rate}</text>')
    path = " ".join(f"{x(rate):.1f},{y(mean):.1f}" for rate, mean in points)
    lines += [
        f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">writes/s</text>',
        f'<path d="M{x(most):.1f} 20V{HEIGHT - BOTTOM}" stroke="#c05000" stroke-dasharray="4 3"/>',
        f'<text x="{x(most) + 5:.1f}" y="32" fill="#c05000">N x / p</text>',
        f'<polyline points="{path}" fill="none" stroke="#2070c0" stroke-width="2"/>',
        *(f'<circle cx="{x(rate):.1f}" cy="{y(mean):.1f}" r="3" fill="#2070c0"/>' for rate, mean in points),
        "</svg>",
    ]
    (ROOT / "docs" / "images" / "destage.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

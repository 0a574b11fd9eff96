"""Quality of service of a scenario: keys without effect are noted."""

from __future__ import annotations

from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import ResolvedSystem


def check_qos(scenario: Scenario, system: ResolvedSystem) -> None:
    """Note priorities and weights that nothing asks for; a sweep may vary the order beside them."""
    order = None if scenario.array.qos is None else scenario.array.qos.order
    for key, default, needed in (("priority", "normal", "strict"), ("weight", 1.0, "weighted")):
        named = [v.name for v in scenario.array.volume if v.qos and getattr(v.qos, key) != default]
        if named and order != needed:
            text = (
                f"qos.{key} of {', '.join(map(repr, named))} has no effect: it needs "
                f'array.qos.order = "{needed}"'
            )
            system.note("qos-key-unused", text, decides=True)

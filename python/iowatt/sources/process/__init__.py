"""Programs that iowatt runs under a guard, and finds again where an earlier command left them."""

from iowatt.sources.process.child import ProcessEnd, end, left_over, run

__all__ = ["ProcessEnd", "end", "left_over", "run"]

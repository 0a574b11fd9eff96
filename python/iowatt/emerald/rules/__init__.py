"""The rules of measurements as data: every value with its source, and whether anybody has verified it."""

from iowatt.emerald.rules.find import load, profile_names
from iowatt.emerald.rules.profile import Rules
from iowatt.emerald.rules.rule import Rule, UnknownRuleError

__all__ = ["Rule", "Rules", "UnknownRuleError", "load", "profile_names"]

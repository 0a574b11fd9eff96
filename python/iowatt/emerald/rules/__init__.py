"""The rules of measurements as data: every value with its source, and whether it has been verified."""

from iowatt.emerald.rules.find import load, profile_names
from iowatt.emerald.rules.profile import Rule, Rules, RulesReference, UnknownRuleError

__all__ = ["Rule", "Rules", "RulesReference", "UnknownRuleError", "load", "profile_names"]

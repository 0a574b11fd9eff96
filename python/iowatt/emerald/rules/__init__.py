"""The rules of measurements as data: every value with its source, and whether it has been verified.

``profile`` has rules in force and the record of those used, ``find`` loads profiles by name or file,
``describe`` lists them.
"""

from iowatt.emerald.rules.describe import document, list_profiles, list_rules
from iowatt.emerald.rules.find import load, profile_names
from iowatt.emerald.rules.profile import Rule, Rules, RulesReference, UnknownRuleError

__all__ = [
    "Rule", "Rules", "RulesReference", "UnknownRuleError", "document", "list_profiles", "list_rules", "load",
    "profile_names",
]  # fmt: skip

"""Forms that make TOML: their fields are the keys of the file, and the file's own rules say what is wrong.

``tree`` is what a browser sends, ``toml_tree`` writes it; ``problems`` are the faults with the fields they
belong to. ``question`` is the form of `iowatt choose`, ``array`` that of `iowatt power`; ``starts`` are files
to begin with.
"""

from iowatt.web.forms.array import (
    ArrayChoices,
    MadeArray,
    array_alone,
    array_choices,
    made_array,
    power_page,
)
from iowatt.web.forms.body import (
    FolderName,
    FormBody,
    FormText,
    LinkText,
    StartId,
    StartList,
    refuse_halves,
)
from iowatt.web.forms.question import (
    MadeQuestion,
    QuestionChoices,
    made_question,
    question_choices,
    refuse_wrong,
)
from iowatt.web.forms.starts import shipped_starts, start_text, workspace_starts
from iowatt.web.forms.toml_tree import tree_as_toml
from iowatt.web.forms.tree import checked_tree

__all__ = [
    "ArrayChoices", "FolderName", "FormBody", "FormText", "LinkText", "MadeArray", "MadeQuestion",
    "QuestionChoices", "StartId", "StartList", "array_alone", "array_choices", "checked_tree", "made_array",
    "made_question", "power_page", "question_choices", "refuse_halves", "refuse_wrong", "shipped_starts",
    "start_text", "tree_as_toml", "workspace_starts",
]  # fmt: skip

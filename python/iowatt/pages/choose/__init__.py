"""What ``iowatt choose`` shows."""

from iowatt.pages.choose.page import document, files
from iowatt.pages.choose.verdict import verdict as answer_sentences

__all__ = ["answer_sentences", "document", "files"]

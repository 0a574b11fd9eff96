"""What ``iowatt choose`` shows."""

from iowatt.pages.choose.page import document, files

__all__ = ["document", "files"]

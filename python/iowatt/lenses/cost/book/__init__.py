"""The book of assumptions: every figure of a cost with its unit, range, source and date, by its key."""

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.find import book_names, find_book

__all__ = ["Book", "book_names", "find_book"]

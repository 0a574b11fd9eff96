"""The book of assumptions: every figure of a cost or a durability by its key, with unit, range, source.

``keys`` defines the keys, ``find`` reads books and assignments, ``listing`` shows a book, ``result`` is a
figure as documents list it.
"""

from iowatt.lenses.book.book import Book, BookFigure, Quality
from iowatt.lenses.book.book_key import BookKey
from iowatt.lenses.book.explain import explained_figures, figure_names
from iowatt.lenses.book.find import SET, book_names, find_book
from iowatt.lenses.book.keys import KEYS, key_rule
from iowatt.lenses.book.listing import assumptions, book_listing, listing_lines

__all__ = [
    "KEYS",
    "SET",
    "Book",
    "BookFigure",
    "BookKey",
    "Quality",
    "assumptions",
    "book_listing",
    "book_names",
    "explained_figures",
    "figure_names",
    "find_book",
    "key_rule",
    "listing_lines",
]  # fmt: skip

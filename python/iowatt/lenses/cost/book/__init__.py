"""The book of assumptions: every figure of a cost by its key, with unit, range, source and date.

``keys`` defines the keys, ``find`` reads books and assignments, ``listing`` shows a book.
"""

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.find import book_names, find_book
from iowatt.lenses.cost.book.keys import key_rule
from iowatt.lenses.cost.book.listing import book_listing, listing_lines

__all__ = ["Book", "book_listing", "book_names", "find_book", "key_rule", "listing_lines"]

"""A public registry of results: signed submissions, analysed again, reviewed, searched, published.

``bundle`` is what is submitted, ``reanalysis`` makes its figures again, ``store`` keeps accounts, states and
the log, ``publish`` searches and makes pages. Nothing here speaks HTTP: ``iowatt.web.registry`` does.
"""

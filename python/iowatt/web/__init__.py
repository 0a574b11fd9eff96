"""The local web server, `iowatt serve`: results of a workspace, what-if, questions, jobs.

``app`` puts the routes together; ``safety`` guards every request; ``jobs`` runs what takes long. Pages of
results are made by ``iowatt.pages`` and ``iowatt.render``, as the command line makes them.
"""

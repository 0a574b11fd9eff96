"""How each result looks: one module a result, with ``document(result)``."""

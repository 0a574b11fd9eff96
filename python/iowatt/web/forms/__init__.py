"""Forms that make TOML: their fields are the keys of the file, and the file's own rules say what is wrong.

``tree`` is what a browser sends, ``toml_tree`` writes it; ``problems`` are the faults with the fields they
belong to. ``question`` is the form of `iowatt choose`, ``array`` that of `iowatt power`; ``starts`` are files
to begin with.
"""

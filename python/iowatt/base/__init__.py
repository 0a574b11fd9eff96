"""What every other package stands on: errors, TOML documents with units and keys, files written atomically.

Imports nothing else of iowatt.
"""

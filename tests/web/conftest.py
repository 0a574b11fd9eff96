"""Helpers of the tests of the server are imported from this folder, in its subfolders as well."""

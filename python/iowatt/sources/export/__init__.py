"""Profiles as job files of fio and parameter files of vdbench, with a list of what these cannot express.

``prepare`` reads and checks a profile and cuts it into sections of constant rates; ``fio`` and ``vdbench``
write them in their languages; ``run_fio`` and ``check`` let fio run such a file and compare what it did with
what was asked.
"""

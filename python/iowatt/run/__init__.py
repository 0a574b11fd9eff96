"""The Run bundle: what every source produces and every lens reads.

Kept free of imports: ``iowatt --help`` passes through here. Import from the modules,
``from iowatt.run.bundle import Run``.
"""

"""Response times counted one by one, in bounded memory: bins, blocks of time, totals."""

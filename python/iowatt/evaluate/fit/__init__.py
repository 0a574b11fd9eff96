"""`iowatt trace fit`: a trace's description into a profile, and how near its synthetic trace comes."""

from iowatt.evaluate.fit.fidelity import FidelityFigure, FitDocument
from iowatt.evaluate.fit.run import fit
from iowatt.evaluate.fit.spread import SpreadBasis, spread_basis, spread_profile

__all__ = ["FidelityFigure", "FitDocument", "SpreadBasis", "fit", "spread_basis", "spread_profile"]

"""An optimization, as documents and pages."""

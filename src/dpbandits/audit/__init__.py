"""Audits: measurements of the privacy that an algorithm spends."""

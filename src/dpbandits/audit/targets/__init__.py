"""The targets of audits: algorithms, stopping rules and releases, and their games."""

"""The auditor: how much privacy is really spent, measured from outside."""

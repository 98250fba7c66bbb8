"""What is audited: algorithms, stopping rules and releases, and the games they are played on."""

"""What an algorithm declares: its question, parameters, assumption on rewards, and guarantee."""

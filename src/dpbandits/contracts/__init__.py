"""What an algorithm declares: its question, parameters, assumption on the rewards, guarantee."""

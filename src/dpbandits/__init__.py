"""Run, compare and trust differentially private multi-armed bandits."""

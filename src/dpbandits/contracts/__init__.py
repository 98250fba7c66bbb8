"""The declarations of an algorithm: question, parameters, assumptions, guarantees."""

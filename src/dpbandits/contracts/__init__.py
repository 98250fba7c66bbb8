"""What an algorithm declares about itself: question, parameters, assumptions, guarantees."""

"""What theorems say of regret: one function a theorem."""

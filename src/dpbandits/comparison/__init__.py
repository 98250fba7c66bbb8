"""Compare algorithms: simultaneous confidence intervals, ties, and the statistics behind them."""

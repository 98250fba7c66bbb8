"""Compare algorithms: intervals that hold at once, ties, and the statistics behind them."""

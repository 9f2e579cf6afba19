"""Learn noisy counts of few columns at a time, and draw invented rows from a model of them."""

"""The finished release: what gates it, what it is written as and where, and what re-checks it."""

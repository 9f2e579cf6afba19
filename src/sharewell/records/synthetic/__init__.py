"""Invented records: a generator that learns noisy counts of few columns at a time, and the promise that it keeps."""

"""Free text, wherever it occurs: tokens, patterns, names, redaction."""

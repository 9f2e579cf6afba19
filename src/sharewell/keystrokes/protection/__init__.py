"""Protections: what is done to key events before they leave. One file per protection."""

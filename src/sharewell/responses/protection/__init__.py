"""The generator that writes logs of invented students, one file per part, and the search for its settings."""

"""Draft a first plan for a folder of files, for a person to correct: `sharewell init`."""

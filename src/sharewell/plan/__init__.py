"""The plan file: what may be said in it, read into frozen dataclasses; and the first plan that `init` guesses."""

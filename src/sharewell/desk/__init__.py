"""The desk: a workbench in the browser for stewards and reviewers, over the same functions as the command line."""

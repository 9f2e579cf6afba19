"""`python -m sharewell` is the command `sharewell`."""

from sharewell.cli import run

if __name__ == "__main__":
    run()

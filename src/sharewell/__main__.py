"""`python -m sharewell` is the command `sharewell`."""

from sharewell.cli import main

if __name__ == "__main__":
    main()

"""``python -m iowatt``: the command line."""

from iowatt.cli.main import main

if __name__ == "__main__":
    main()

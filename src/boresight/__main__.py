"""`python -m boresight` is the command `boresight`."""

from boresight.cli.app import main

if __name__ == "__main__":
    main()

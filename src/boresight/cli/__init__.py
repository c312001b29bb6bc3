"""The command `boresight`: one file a command."""

from boresight.cli.app import main

__all__ = ["main"]

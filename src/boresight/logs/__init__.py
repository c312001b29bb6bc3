"""Logs of orientation data: named streams that say which convention their numbers are in, and the files they live in.

`read` takes a file of any format that has a reader; `write` writes a log in any that has a writer. Streams keep the
file's own numbers; nothing is converted by reading.
"""

from boresight.logs.arrays import stream_of
from boresight.logs.model import GROUPS, KINDS, Group, Log, Notice, RowSource, Stream, StreamKind, TableRows
from boresight.logs.poses import pose_stream
from boresight.logs.registry import formats, read, write

__all__ = [
    "GROUPS",
    "KINDS",
    "Group",
    "Log",
    "Notice",
    "RowSource",
    "Stream",
    "StreamKind",
    "TableRows",
    "formats",
    "pose_stream",
    "read",
    "stream_of",
    "write",
]

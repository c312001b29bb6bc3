"""Where the recordings and the golden cases are, which are not part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def data_folder() -> Path:
    """Folder of the recordings: ``BORESIGHT_DATA``, or ``../shared/data`` beside the checkout; may be missing."""
    return Path(os.environ.get("BORESIGHT_DATA", SHARED / "data"))

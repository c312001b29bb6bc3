"""Helpers of these tests are modules beside them, which pytest's importlib mode does not put on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

"""Advice that depends on the system."""

from __future__ import annotations

import sys


def access_hint() -> str:
    """What else keeps a folder from being read where its permissions allow it: macOS asks a person first, for each program."""
    if sys.platform != "darwin":
        return ""
    return "On macOS, also allow Python under System Settings → Privacy & Security → Files and Folders, or Full Disk Access."

"""Where this user's state lies: what is spent, and the payments that are open. The command `farebox` keeps its own there, too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

# Windows would write other line ends.
binary = getattr(os, "O_BINARY", 0)

Folder = Union[str, "os.PathLike[str]"]


def state_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / "farebox"


def make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def append(file: Path, text: str) -> None:
    """In one write, which is on the disk before this ends."""
    line = text.encode()
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | binary, 0o600)
    try:
        if os.write(descriptor, line) < len(line):
            raise OSError("the disk is full")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Where this user's state lies: what is spent, and the payments that are open. The command `farebox` keeps its own there, too."""

from __future__ import annotations

import os
import re
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
    """
    Appends a line in one write, which is on the disk before this ends. The line feed comes first, to end a line that was cut off.
    """
    line = f"\n{text}".encode()
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | binary, 0o600)
    try:
        if os.write(descriptor, line) < len(line):
            raise OSError("the disk is full")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def forget_old(folder: Path, form: re.Pattern[str], before: str, kept: int) -> None:
    """
    Deletes the files of the days before this one, but for so many days. It counts days that have a file: a clock that runs ahead for
    a while must not delete what counts when it is right again. `form` has the day of a file's name.
    """
    named = [(file, form.fullmatch(file.name)) for file in folder.iterdir()]
    old = [(file, match[1]) for file, match in named if match and match[1] < before]
    newest = sorted({day for _, day in old})[-kept:]
    for file, day in old:
        if day not in newest:
            file.unlink(missing_ok=True)

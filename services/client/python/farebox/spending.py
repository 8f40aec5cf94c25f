"""The log of what was signed: a file a day, a line each, beside what is counted. `farebox spent` reads it, too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .state_folder import Folder, append, forget_old, make_folder, state_folder

_kept_days = 366
_form = re.compile(r"paid-(\d{4}-\d\d-\d\d)\.jsonl", re.ASCII)


@dataclass(frozen=True)
class Spent:
    """A payment that was signed. Its holder can take the money, whatever he says afterwards."""

    # UTC.
    at: str
    usd: str
    network: str
    pay_to: str
    # The address that was asked.
    url: str


def spending_in_folder(folder: Folder | None = None) -> Callable[[Spent], None]:
    """Returns what writes a line. It raises where the line cannot be written, and then nothing is sent."""
    place = Path(folder) if folder is not None else state_folder()

    def write(spent: Spent) -> None:
        make_folder(place)
        day = spent.at[:10]
        forget_old(place, _form, day, _kept_days)
        line = {"at": spent.at, "usd": spent.usd, "network": spent.network, "payTo": spent.pay_to, "url": spent.url}
        append(place / f"paid-{day}.jsonl", json.dumps(line, separators=(",", ":")))

    return write


def spent_in(folder: Folder | None = None) -> list[Spent]:
    """What was signed, the oldest first. A line that was cut off is left out."""
    spent: list[Spent] = []
    for file, _ in sorted(_files(Path(folder) if folder is not None else state_folder()), key=lambda each: each[1]):
        for line in file.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                told = json.loads(line)
                spent.append(Spent(told["at"], told["usd"], told["network"], told["payTo"], told["url"]))
            except (ValueError, KeyError, TypeError):
                # The process that wrote it was killed, or the disk was full.
                continue
    return spent


def _files(folder: Path) -> list[tuple[Path, str]]:
    try:
        names = [(file, _form.fullmatch(file.name)) for file in folder.iterdir()]
    except FileNotFoundError:
        # Nothing was signed yet.
        return []
    return [(file, match[1]) for file, match in names if match]

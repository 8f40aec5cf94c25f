"""
Counts the spending in a file for each day, so that the daily cap holds over all processes of a user: those in Python, those in
TypeScript, and the command. No lock exists that a killed process could leave behind: each process appends the amount that it
wants, and then reads the file. The lines before its own decide, and all processes read the same order.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

from .budget import Taken
from .state_folder import Folder, append, forget_old, make_folder, state_folder

_kept_days = 31
_form = re.compile(r'\{"id":"[\w-]+","atoms":"-?\d+"(,"most":"\d+")?\}', re.ASCII)
_naming = re.compile(r'\{"id":"[\w-]*(?:"(.*))?', re.ASCII)
_paying = re.compile(r'\{"id":"([\w-]+)","atoms":"(-?\d+)"(.*)', re.ASCII)
_day_file = re.compile(r"spent-(\d{4}-\d\d-\d\d)(?:\.[0-9a-f]{16})?\.jsonl", re.ASCII)


class PurseFailed(OSError):
    """What is spent cannot be kept, so nothing is paid."""


class PurseInFile:
    def __init__(self, folder: Folder | None = None) -> None:
        self._folder = Path(folder) if folder is not None else state_folder()

    def take(self, day: str, atoms: int, most: int) -> Taken:
        file = self._file_of(day)
        try:
            text = _text_of(file)
            before = self._earlier_spent(day)
            spent, _ = _summed(text or "", before)
            # Neither a loop of refused calls nor who only looks makes the file grow.
            if spent + atoms > most or atoms == 0:
                return Taken(spent + atoms <= most, spent)
            if text is None:
                self._open_folder(day)
            own = str(uuid.uuid4())
            append(file, f'{{"id":"{own}","atoms":"{atoms}","most":"{most}"}}')
            verdict = _summed(_text_of(file) or "", before)[1].get(own)
            if verdict is None:
                raise ValueError("it has lost a line")
            return verdict
        except (OSError, ValueError) as error:
            raise _failed(file, error) from None

    def give_back(self, day: str, atoms: int) -> None:
        file = self._file_of(day)
        try:
            append(file, f'{{"id":"{uuid.uuid4()}","atoms":"{-atoms}"}}')
        except OSError as error:
            raise _failed(file, error) from None

    def _file_of(self, day: str) -> Path:
        return self._folder / f"spent-{day}.jsonl"

    def _earlier_spent(self, day: str) -> int:
        """Reads the one file in which older versions of the command kept this day."""
        text = _text_of(self._folder / "spent.json")
        return 0 if text is None else int(json.loads(text).get(day, 0))

    def _open_folder(self, day: str) -> None:
        make_folder(self._folder)
        forget_old(self._folder, _day_file, day[:10], _kept_days)


def _failed(file: Path, error: Exception) -> PurseFailed:
    return PurseFailed(f"{file} keeps what is spent, and it fails, so nothing is paid: {error}")


def _summed(text: str, before: int) -> tuple[int, dict[str, Taken]]:
    total = before
    verdicts: dict[str, Taken] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for own, atoms, most in _entry_in(line, number):
            taken = most is None or total + atoms <= most
            verdicts[own] = Taken(taken, total)
            if taken:
                total += atoms
    return total, verdicts


def _entry_in(line: str, number: int) -> Iterator[tuple[str, int, int | None]]:
    """
    A line that was cut off bought nothing: its process noticed, or died. But nobody can rule out a later cut, so a readable
    amount in it counts as spent. Any other line that is no entry stops all payments.
    """
    if _form.fullmatch(line):
        entry = json.loads(line)
        most = entry.get("most")
        yield entry["id"], int(entry["atoms"]), None if most is None else int(most)
        return
    paying = _paying.fullmatch(line)
    if paying and _is_begun(paying[3], ',"most":"', r'\d*"?'):
        if not paying[2].startswith("-"):
            yield paying[1], int(paying[2]), None
        return
    naming = _naming.fullmatch(line)
    if '{"id":"'.startswith(line) or (naming and _is_begun(naming[1] or "", ',"atoms":"', r"-?\d*")):
        return
    raise ValueError(f"its line {number} cannot be read. If you know what it stands for, mend or remove it")


def _is_begun(text: str, beginning: str, rest: str) -> bool:
    if beginning.startswith(text):
        return True
    return text.startswith(beginning) and re.fullmatch(rest, text[len(beginning) :], re.ASCII) is not None


def _text_of(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None

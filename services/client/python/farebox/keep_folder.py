"""Keeps open payments in a folder, a file each. A file is whole or not there, whenever a process is killed."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from .kept import Ending, Kept, moment
from .state_folder import Folder, binary, make_folder, state_folder

# Payments that are open at once. Nothing is paid above it.
_most_kept = 200
# The share of one seller. A seller who never answers must not stop all payments to others.
_most_of_seller = 150
# A question has 128 KB at most, and a payment 16.
_limit_bytes = 256 << 10
# A half-written file of a killed process is deleted after this time.
_half_s = 3600
_form = re.compile(r"[0-9a-f]{64}\.json", re.ASCII)
_texts = {"url": "url", "path": "path", "key": "key", "payment": "payment", "network": "network"} | {
    "amount": "amount",
    "signed_at": "signedAt",
    "dead_at": "deadAt",
}


class KeepFailed(OSError):
    """An open payment cannot be kept, so nothing is paid."""


class KeepInFolder:
    """`tell` hears once of each payment whose answer can be had no longer."""

    def __init__(self, folder: Folder | None = None, tell: Callable[[Kept], None] = lambda kept: None) -> None:
        self._folder = Path(folder) if folder is not None else state_folder() / "payments"
        self._tell = tell

    def get(self, name: str) -> Kept | None:
        """None: there is none, or it was worth nothing any more."""
        file = self._file_of(name)
        try:
            kept = _kept_in(file)
        except (OSError, ValueError) as error:
            raise _failed(file, error) from None
        ending = kept.ending if kept else None
        if kept is None or ending is None:
            return kept
        self.delete(name, ending)
        if ending == "gone":
            self._tell(kept)
        return None

    def open(self) -> list[Kept]:
        """The oldest first."""
        kept = [self.get(name[: -len(".json")]) for name in self._names() if _form.fullmatch(name)]
        return sorted((each for each in kept if each), key=lambda each: each.signed_at)

    def put(self, name: str, kept: Kept, first: bool) -> bool:
        """It is on the disk before this ends. `first`: False, and nothing done, where there is one."""
        file = self._file_of(name)
        try:
            text = _text_of(kept)
            if len(text) > _limit_bytes:
                raise ValueError(f"it would have more than {_limit_bytes >> 10} KB")
            if first:
                make_folder(self._folder)
                self._sweep_halves()
                if len(self._names()) >= _most_of_seller:
                    self._check_room(kept.url)
            return self._write(file, text, first)
        except KeepFailed:
            raise
        except (OSError, ValueError) as error:
            raise _failed(file, error) from None

    def delete(self, name: str, why: Ending) -> None:
        file = self._file_of(name)
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise _failed(file, error) from None

    def _file_of(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._folder)
        except FileNotFoundError:
            return []

    def _check_room(self, url: str) -> None:
        kept = self.open()
        if len(kept) >= _most_kept:
            raise ValueError(f"{_most_kept} payments are open")
        if sum(each.url == url for each in kept) >= _most_of_seller:
            raise ValueError(f"{_most_of_seller} payments to {url} are open")

    def _sweep_halves(self) -> None:
        for name in self._names():
            half = self._folder / name
            try:
                if name.endswith(".half") and time.time() - half.stat().st_mtime > _half_s:
                    half.unlink(missing_ok=True)
            except FileNotFoundError:
                continue

    def _write(self, file: Path, text: bytes, first: bool) -> bool:
        """On the disk before it ends. A link is made by one process alone."""
        half = self._folder / f"{uuid.uuid4()}.half"
        try:
            descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, 0o600)
            try:
                if os.write(descriptor, text) < len(text):
                    raise OSError("the disk is full")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if first:
                try:
                    os.link(half, file)
                except FileExistsError:
                    return False
            else:
                os.replace(half, file)
            _sync_folder(self._folder)
            return True
        finally:
            half.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        # Windows opens no folder.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failed(file: Path, error: Exception) -> KeepFailed:
    return KeepFailed(f"{file} keeps an open payment, and it fails, so nothing is paid: {error}")


def _text_of(kept: Kept) -> bytes:
    fields = {name: getattr(kept, own) for own, name in _texts.items()}
    said = {"said": kept.said} if kept.said else {}
    return json.dumps({**fields, "question": kept.question, **said}, ensure_ascii=False).encode()


def _kept_in(file: Path) -> Kept | None:
    try:
        if file.stat().st_size > _limit_bytes:
            raise ValueError("it cannot be read. If you know what it stands for, mend or remove it")
        text = file.read_bytes()
    except FileNotFoundError:
        return None
    try:
        told = json.loads(text)
        fields = {own: told[name] for own, name in _texts.items()}
        if not all(isinstance(each, str) for each in fields.values()) or not isinstance(told["question"], dict):
            raise ValueError
        for name in ("signed_at", "dead_at"):
            moment(fields[name])
        said = told.get("said")
        return Kept(**fields, question=told["question"], said=said if isinstance(said, dict) else None)
    except (ValueError, KeyError, TypeError, RecursionError):
        # The words of those who read it repeat the text, and that is a payment.
        pass
    raise ValueError("it cannot be read. If you know what it stands for, mend or remove it")

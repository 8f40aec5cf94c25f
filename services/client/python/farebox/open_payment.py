"""What a call does with the payment that it keeps: takes it up, and lets it go when its end is known."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Literal, Optional

from .errors import Problem
from .keep_folder import KeepInFolder
from .kept import Kept, dead_at_of, name_of, written
from .quote import Json
from .results import Result


class OpenPayment:
    """How a call stands to the payment that was kept for its question."""

    def __init__(self, keep: Optional[KeepInFolder], url: str, path: str, question: Json) -> None:
        self._keep = keep
        self._about = (url, path, question)
        self._name = name_of(url, path, question) if keep else ""

    def kept(self) -> Kept | None:
        return self._keep.get(self._name) if self._keep else None

    def begin(self, key: str, payment: str, payload: Json, offer: Json) -> bool:
        """False: another process was first with this question."""
        if not self._keep:
            return True
        now = datetime.now(timezone.utc)
        network = offer["network"]
        url, path, question = self._about
        kept = Kept(
            *(url, path, question, key, payment, network, offer["amount"]),
            signed_at=written(now),
            dead_at=dead_at_of(payload, network, now),
        )
        return self._keep.put(self._name, kept, True)

    def heard(self, payment: str, result: Result[Any] | Problem) -> Literal["dead", "heard"]:
        """Hears the end of a call with this payment. dead: it was never taken, and another may be signed."""
        try:
            return self._ended(self._keep, payment, result) if self._keep else "heard"
        except OSError:
            # The result is here, and is worth more than its record, which stays and is taken up again.
            return "heard"

    def _ended(self, keep: KeepInFolder, payment: str, result: Result[Any] | Problem) -> Literal["dead", "heard"]:
        kept = keep.get(self._name)
        if kept is None or kept.payment != payment:
            return "heard"
        if isinstance(result, Result):
            keep.delete(self._name, "answered")
        elif result.charged is False and kept.is_dead:
            keep.delete(self._name, "dead")
            return "dead"
        elif result.answer == "gone":
            keep.delete(self._name, "gone")
        else:
            keep.put(self._name, kept.hears(result), False)
        return "heard"

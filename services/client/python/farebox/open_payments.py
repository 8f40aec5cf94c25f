"""What a call does with the payments that it keeps: takes them up, and lets them go when their end is known."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timezone
from typing import Any, Literal, Optional

from .errors import Problem
from .keep_folder import KeepInFolder
from .kept import Kept, dead_at_of, names_of, written
from .quote import Json
from .results import Result


class OpenPayments:
    """How a call stands to the payments that were kept for its question."""

    def __init__(self, keep: Optional[KeepInFolder], url: str, path: str, question: Json) -> None:
        self._keep = keep
        self._about = (url, path, question)
        self._names = names_of(url, path, question) if keep else []

    def kept(self) -> list[Kept]:
        """The last one first."""
        return sorted(self._all(), key=lambda each: each.signed_at, reverse=True)

    def begin(self, key: str, payment: str, payload: Json, offer: Json, beside: Collection[str]) -> bool:
        """`beside`: the payments of this question that this call knows. False: another process was first with this question."""
        keep = self._keep
        if not keep:
            return True
        if any(kept.payment not in beside for kept in self._all()):
            return False
        now = datetime.now(timezone.utc)
        network = offer["network"]
        url, path, question = self._about
        made = Kept(
            *(url, path, question, key, payment, network, offer["amount"]),
            signed_at=written(now),
            dead_at=dead_at_of(payload, network, now),
        )
        # The first free name: of two processes at once, one gets it.
        for name in self._names:
            if keep.put(name, made, True):
                return True
            kept = keep.get(name)
            if kept is None or kept.payment not in beside:
                return False
        return False

    def heard(self, payment: str, result: Result[Any] | Problem) -> Literal["dead", "heard"]:
        """Hears the end of a call with this payment. dead: it was never taken, and another may be signed."""
        try:
            return self._ended(self._keep, payment, result) if self._keep else "heard"
        except OSError:
            # The result is here, and is worth more than its record, which stays and is taken up again.
            return "heard"

    def _all(self) -> list[Kept]:
        found = [self._keep.get(name) for name in self._names] if self._keep else []
        return [kept for kept in found if kept]

    def _ended(self, keep: KeepInFolder, payment: str, result: Result[Any] | Problem) -> Literal["dead", "heard"]:
        ending: Literal["dead", "heard"] = "heard"
        for name in self._names:
            kept = keep.get(name)
            if kept is None:
                continue
            if kept.payment == payment:
                ending = _ended_one(keep, name, kept, result)
            elif isinstance(result, Result) and kept.said and kept.said.get("charged") is False:
                # The answer is here, so a payment that was refused for it is needed no more.
                keep.delete(name, "answered")
        return ending


def _ended_one(
    keep: KeepInFolder, name: str, kept: Kept, result: Result[Any] | Problem
) -> Literal["dead", "heard"]:
    if isinstance(result, Result):
        keep.delete(name, "answered")
    elif result.charged is False and kept.is_dead:
        keep.delete(name, "dead")
        return "dead"
    elif result.answer == "gone":
        keep.delete(name, "gone")
    else:
        keep.put(name, kept.hears(result), False)
    return "heard"

"""
A payment that was signed and whose answer is not here yet. It is kept before it is sent, so that whoever is interrupted
presents it again and does not pay twice. It holds no key of a wallet; until it is settled or dead it is as good as the
amount it names to whoever reads it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

from .canonical import canonical
from .errors import Problem
from .networks import NETWORKS
from .quote import Json

# Why a record goes. answered: the answer is here. gone: it can be had no longer. dead: it was not taken, and cannot be.
Ending = Literal["answered", "gone", "dead"]

# A transaction of Solana names a block, and lives for about a minute.
_solana_life = timedelta(minutes=3)
# The clocks of payer, seller and chain differ by less.
_clocks = timedelta(minutes=1)
# A seller of ours keeps an answer that was not delivered for seven days.
_longest = timedelta(days=8)


@dataclass(frozen=True)
class Kept:
    url: str
    path: str
    question: Json
    # The Idempotency-Key.
    key: str = field(repr=False)
    payment: str = field(repr=False)
    network: str
    # In USDC's smallest unit.
    amount: str
    signed_at: str
    # No chain takes it after this.
    dead_at: str
    # What the seller said last: code, charged, keptUntil.
    said: Json | None = None

    def hears(self, problem: Problem) -> Kept:
        said: Json = {"code": problem.code, "charged": problem.charged}
        return replace(self, said={**said, **({"keptUntil": problem.kept_until} if problem.kept_until else {})})

    @property
    def is_dead(self) -> bool:
        """Whether the chain takes it no more, whatever clock is asked."""
        return _now() > moment(self.dead_at) + _clocks

    @property
    def ending(self) -> Literal["gone", "dead"] | None:
        """Why nothing is to be had for it any more. None: it may be worth its answer still."""
        said = self.said or {}
        if said.get("charged") is False and self.is_dead:
            return "dead"
        latest = moment(self.signed_at) + _longest
        told = said.get("keptUntil")
        until = latest
        if isinstance(told, str):
            try:
                until = min(moment(told), latest)
            except ValueError:
                until = latest
        return "gone" if _now() > until and self.is_dead else None


def name_of(url: str, path: str, question: Any) -> str:
    """The same for the same question, also in the client in TypeScript and in the command."""
    return hashlib.sha256(canonical([url, path, _ordered(question)])).hexdigest()


def names_of(url: str, path: str, question: Any) -> list[str]:
    """
    The names of a question's payments: the first one, and those that follow on other networks where it is refused. A question has
    no more payments than there are networks.
    """
    first = name_of(url, path, question)
    others = [hashlib.sha256(f"{first} {at}".encode()).hexdigest() for at in range(1, len(NETWORKS))]
    return [first, *others]


def _ordered(value: Any) -> Any:
    """The same question with its fields in another order is the same."""
    if isinstance(value, (list, tuple)):
        return [_ordered(each) for each in value]
    if not isinstance(value, dict):
        return value
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return [[name, _ordered(value[name])] for name in names]


def dead_at_of(payload: Json, network: str, signed: datetime) -> str:
    is_evm = any(each.id == network and each.domain for each in NETWORKS)
    if not is_evm:
        return written(signed + _solana_life)
    seconds = int(payload["authorization"]["validBefore"])
    return written(datetime.fromtimestamp(seconds, timezone.utc))


def written(at: datetime) -> str:
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def moment(text: str) -> datetime:
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def _now() -> datetime:
    return datetime.now(timezone.utc)

"""Who buys, and what a seller offers him."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

from .budget import Budget
from .connection import Connection, Lost, Request
from .errors import Problem, no
from .keep_folder import KeepInFolder
from .kept import Kept
from .offer import payable
from .policy import Purpose
from .quote import Json, Quote, quote_in
from .results import Result, result_of
from .spending import Spent
from .wallet import Wallet


@dataclass(frozen=True)
class Buyer:
    connection: Connection
    wallet: Wallet
    network: Optional[str]
    budget: Budget
    keep: Optional[KeepInFolder]
    on_taken_up: Optional[Callable[[Kept], None]]
    on_replaced: Optional[Callable[[Kept], None]]
    on_refused: Optional[Callable[[Problem, str], None]]
    on_signed: Optional[Callable[[Spent], None]]

    async def offers_for(
        self, path: str, request: Request, question: Json
    ) -> Result[Any] | Problem | tuple[Quote, list[Json]]:
        """Asks without a payment. The offers that can be paid, the first one first, or how the call has ended without one."""
        first = await self.connection.ask(request, path)
        if isinstance(first, Lost) or first.status != 402:
            return result_of(first, False, question)
        quote = quote_in(first.headers.get("payment-required"))
        if quote is None:
            return no("cannot_pay", "the 402 has no quote of version 2")
        offers = payable(quote, self.wallet, self.network)
        return no("cannot_pay", offers) if isinstance(offers, str) else (quote, offers)

    def purpose_of(self, path: str, offer: Json) -> Purpose:
        return Purpose(self.connection.host, path, offer["payTo"])

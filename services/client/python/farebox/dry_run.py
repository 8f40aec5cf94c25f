"""What a call would do. A price that is not asked for costs nothing, so an answer that is free is given."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from .buyer import Buyer
from .connection import Request
from .errors import Problem, no
from .offer import network_name
from .quote import Json, plain, usd_of
from .results import Result


async def tried(
    buyer: Buyer, path: str, request: Request, question: Json, payment: str | None
) -> Result[Any] | Problem:
    if payment is not None:
        return no("dry_run", "It would present a payment again that was signed before")
    offered = await buyer.offers_for(path, request, question)
    if not isinstance(offered, tuple):
        return offered
    unpaid: Problem | None = None
    for offer in offered[1]:
        amount, pay_to = offer["amount"], offer["payTo"]
        over = await to_thread(buyer.budget.refusal_of, int(amount), buyer.purpose_of(path, offer))
        if over is None:
            network = network_name(offer["network"])
            return no("dry_run", plain(f"It would pay {usd_of(amount)} USDC on {network} to {pay_to}"))
        unpaid = unpaid or no("over_budget", over)
    return unpaid or no("cannot_pay", "the quote has no offer")

"""Presents a payment with a question, until the seller has said what became of it."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import replace
from typing import Any

from .connection import Connection, Lost, Request
from .errors import Problem
from .proof import proof_for
from .quote import Json
from .results import Result, result_of
from .wallet import Wallet

_most_proofs = 3

Ended = Result[Any] | Problem


async def presented(
    connection: Connection, wallet: Wallet, path: str, request: Request, question: Json, payment: str
) -> Ended:
    presented = request.with_headers(payment_signature=payment)
    until = connection.patience_end()
    heard = await connection.ask(presented, path, until, paid=True)
    # A proof works once, so an answer that was lost again needs another one.
    for _ in range(_most_proofs):
        if isinstance(heard, Lost) or heard.code != "payment_already_used":
            break
        proof = await to_thread(proof_for, heard.json, connection.address(path), wallet)
        if proof is None:
            break
        heard = await connection.ask(presented.with_headers(sign_in_with_x=proof), path, until, paid=True)
    result = result_of(heard, None, question)
    if isinstance(result, Result) or result.charged is False:
        return result
    return replace(result, payment=payment, key=request.headers["idempotency-key"])


def is_refused_payment(problem: Problem) -> bool:
    """
    Whether this payment was refused, and not the question: another network may do then. The seller must say that nothing was
    charged; silence is no such word. One who asks for a payment, as if there were none, has not refused it.
    """
    if problem.charged is not False:
        return False
    if problem.status == 402:
        return problem.code != "payment_required"
    return problem.code == "facilitator_unavailable"

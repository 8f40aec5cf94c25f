"""One call that may cost: asks, signs once within the caps, presents the payment, and keeps it until its end is known."""

from __future__ import annotations

import json
import re
import uuid
from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Optional

from .budget import Budget
from .connection import Connection, Lost, Request
from .errors import Problem, no
from .keep_folder import KeepInFolder
from .kept import Kept, written
from .offer import network_name, payable
from .open_payment import OpenPayment
from .policy import Purpose
from .proof import proof_for
from .quote import Json, Quote, as_base64, plain, quote_in, usd_of
from .results import Result, result_of
from .spending import Spent
from .wallet import NotSigned, Wallet

_most_proofs = 3
_key_form = re.compile("[!-~]{8,128}")
_payment_form = re.compile("[A-Za-z0-9+/]+={0,2}")

Ended = Result[Any] | Problem


@dataclass(frozen=True)
class Buyer:
    connection: Connection
    wallet: Wallet
    network: Optional[str]
    budget: Budget
    keep: Optional[KeepInFolder]
    on_taken_up: Optional[Callable[[Kept], None]]
    on_replaced: Optional[Callable[[Kept], None]]
    on_signed: Optional[Callable[[Spent], None]]


async def call(
    buyer: Buyer, path: str, question: Json, key: str | None, payment: str | None, dry_run: bool
) -> Ended:
    _check_headers(key, payment)
    body = json.dumps(question, ensure_ascii=False, allow_nan=False).encode()
    open_payment = OpenPayment(buyer.keep, buyer.connection.url, path, question)

    def request(own: str) -> Request:
        return Request("POST", {"content-type": "application/json", "idempotency-key": own}, body)

    while True:
        kept = await to_thread(open_payment.kept)
        if dry_run:
            signed = payment or (kept.payment if kept else None)
            return await _tried(buyer, path, request(key or _new_key()), question, signed)
        if payment is not None:
            own = key or (kept.key if kept and kept.payment == payment else None) or _new_key()
            result = await _paid(buyer, path, request(own), question, payment, own)
            await to_thread(open_payment.heard, payment, result)
            return result
        if kept:
            if buyer.on_taken_up:
                buyer.on_taken_up(kept)
            result = await _paid(buyer, path, request(kept.key), question, kept.payment, kept.key)
            if await to_thread(open_payment.heard, kept.payment, result) != "dead":
                return result
            if buyer.on_replaced:
                buyer.on_replaced(kept)
        own = key or _new_key()
        bought = await _buy(buyer, path, request(own), question, own, open_payment)
        # None: another process was first with the same question, and its payment is taken up.
        if bought is not None:
            return bought


def _check_headers(key: str | None, payment: str | None) -> None:
    """The words of those who send headers would repeat them."""
    if key is not None and not _key_form.fullmatch(key):
        raise ValueError("key is not 8 to 128 visible ASCII characters")
    if payment is not None and not _payment_form.fullmatch(payment):
        raise ValueError("payment is not base64")


def _new_key() -> str:
    return str(uuid.uuid4())


async def _tried(buyer: Buyer, path: str, request: Request, question: Json, payment: str | None) -> Ended:
    """What the call would do. A price that is not asked for costs nothing, so an answer that is free is given."""
    if payment is not None:
        return no("dry_run", "It would present a payment again that was signed before")
    offered = await _offer_for(buyer, path, request, question)
    if not isinstance(offered, tuple):
        return offered
    _, offer = offered
    give_back = await to_thread(buyer.budget.take, int(offer["amount"]), _purpose_of(buyer, path, offer))
    if isinstance(give_back, str):
        return no("over_budget", give_back)
    await to_thread(give_back)
    network = network_name(offer["network"])
    return no("dry_run", plain(f"It would pay {usd_of(offer['amount'])} USDC on {network} to {offer['payTo']}"))


async def _offer_for(buyer: Buyer, path: str, request: Request, question: Json) -> Ended | tuple[Quote, Json]:
    """Asks without a payment. The offer to pay, or how the call has ended without one."""
    first = await buyer.connection.ask(request, path)
    if isinstance(first, Lost) or first.status != 402:
        return result_of(first, False, question)
    quote = quote_in(first.headers.get("payment-required"))
    if quote is None:
        return no("cannot_pay", "the 402 has no quote of version 2")
    offer = payable(quote, buyer.wallet, buyer.network)
    return no("cannot_pay", offer) if isinstance(offer, str) else (quote, offer)


def _purpose_of(buyer: Buyer, path: str, offer: Json) -> Purpose:
    return Purpose(buyer.connection.host, path, offer["payTo"])


async def _buy(
    buyer: Buyer, path: str, request: Request, question: Json, key: str, open_payment: OpenPayment
) -> Ended | None:
    """None: nothing was sent, because a payment is open for this question by now."""
    offered = await _offer_for(buyer, path, request, question)
    if not isinstance(offered, tuple):
        return offered
    quote, offer = offered
    give_back = await to_thread(buyer.budget.take, int(offer["amount"]), _purpose_of(buyer, path, offer))
    if isinstance(give_back, str):
        return no("over_budget", give_back)
    try:
        made = await to_thread(buyer.wallet.signed, quote, offer)
        payment = as_base64(made)
        if buyer.on_signed:
            url = buyer.connection.address(path)
            at = written(datetime.now(timezone.utc))
            paid = Spent(at, usd_of(offer["amount"]), network_name(offer["network"]), offer["payTo"], url)
            await to_thread(buyer.on_signed, paid)
        if not await to_thread(open_payment.begin, key, payment, made["payload"], offer):
            await to_thread(give_back)
            return None
    except NotSigned as error:
        await to_thread(give_back)
        return no("cannot_pay", str(error))
    except Exception:
        await to_thread(give_back)
        raise
    # From here on it stays counted, and it is the only one of this call, whatever the seller answers.
    result = await _paid(buyer, path, request, question, payment, key)
    await to_thread(open_payment.heard, payment, result)
    return result


async def _paid(buyer: Buyer, path: str, request: Request, question: Json, payment: str, key: str) -> Ended:
    connection = buyer.connection
    presented = request.with_headers(payment_signature=payment)
    until = connection.patience_end()
    heard = await connection.ask(presented, path, until, paid=True)
    # A proof works once, so an answer that was lost again needs another one.
    for _ in range(_most_proofs):
        if isinstance(heard, Lost) or heard.code != "payment_already_used":
            break
        proof = await to_thread(proof_for, heard.json, connection.address(path), buyer.wallet)
        if proof is None:
            break
        heard = await connection.ask(presented.with_headers(sign_in_with_x=proof), path, until, paid=True)
    result = result_of(heard, None, question)
    if isinstance(result, Result) or result.charged is False:
        return result
    return replace(result, payment=payment, key=key)

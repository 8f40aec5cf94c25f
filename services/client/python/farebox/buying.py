"""
One call that may cost: asks, signs within the caps, presents the payment, and keeps it until its end is known. Where a payment is
refused, uncharged, it goes on to the next network that the wallet has a key for.
"""

from __future__ import annotations

import json
import re
import uuid
from asyncio import to_thread
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

from .buyer import Buyer
from .connection import Request
from .dry_run import tried
from .errors import Problem, no
from .kept import Kept, written
from .offer import network_name
from .open_payments import OpenPayments
from .presenting import Ended, is_refused_payment, presented
from .quote import Json, Quote, as_base64, plain, usd_of
from .results import Result
from .spending import Spent
from .wallet import NotSigned

_key_form = re.compile("[!-~]{8,128}")
_payment_form = re.compile("[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True)
class _Refused:
    """A payment that the seller has refused, uncharged. It lives on, so it counts."""

    network: str
    amount: int
    key: str
    payment: str
    problem: Problem


@dataclass(frozen=True)
class _Call:
    """One question, and what this call has tried for it."""

    buyer: Buyer
    path: str
    question: Json
    open: OpenPayments
    refused: list[_Refused] = field(default_factory=list)

    def request(self, key: str) -> Request:
        body = json.dumps(self.question, ensure_ascii=False, allow_nan=False).encode()
        return Request("POST", {"content-type": "application/json", "idempotency-key": key}, body)

    async def present(self, payment: str, key: str) -> Ended:
        buyer, request = self.buyer, self.request(key)
        return await presented(buyer.connection, buyer.wallet, self.path, request, self.question, payment)


async def call(
    buyer: Buyer, path: str, question: Json, key: str | None, payment: str | None, dry_run: bool
) -> Ended:
    _check_headers(key, payment)
    while True:
        own = _Call(buyer, path, question, OpenPayments(buyer.keep, buyer.connection.url, path, question))
        kept = await to_thread(own.open.kept)
        if dry_run:
            signed = payment or (kept[0].payment if kept else None)
            return await tried(buyer, path, own.request(key or _new_key()), question, signed)
        if payment is not None:
            known = next((each.key for each in kept if each.payment == payment), None)
            result = await own.present(payment, key or known or _new_key())
            await to_thread(own.open.heard, payment, result)
            return result
        ended = await _taken_up(own, kept)
        if ended is None:
            ended = await _bought(own, key)
        # None: another process was first with the same question, and its payment is taken up.
        if ended is not None:
            return ended


def _check_headers(key: str | None, payment: str | None) -> None:
    """The words of those who send headers would repeat them."""
    if key is not None and not _key_form.fullmatch(key):
        raise ValueError("key is not 8 to 128 visible ASCII characters")
    if payment is not None and not _payment_form.fullmatch(payment):
        raise ValueError("payment is not base64")


def _new_key() -> str:
    return str(uuid.uuid4())


async def _taken_up(own: _Call, all_kept: list[Kept]) -> Ended | None:
    """Presents what is open for the question. None: none of it can buy the answer, and another may be signed."""
    buyer = own.buyer
    for kept in all_kept:
        if buyer.on_taken_up:
            buyer.on_taken_up(kept)
        result = await own.present(kept.payment, kept.key)
        if await to_thread(own.open.heard, kept.payment, result) == "dead":
            if buyer.on_replaced:
                buyer.on_replaced(kept)
        elif isinstance(result, Result) or not is_refused_payment(result):
            return result
        else:
            own.refused.append(_Refused(kept.network, int(kept.amount), kept.key, kept.payment, result))
    return None


async def _bought(own: _Call, wanted: str | None) -> Ended | None:
    """
    Pays the first offer. The next one, on another network, is paid only after the seller has refused this one, uncharged. None:
    another process is first with the question.
    """
    buyer, refused = own.buyer, own.refused
    # The same key for all payments: a seller who took one after all gives its answer, and takes no other.
    key = refused[0].key if refused else wanted or _new_key()
    offered = await buyer.offers_for(own.path, own.request(key), own.question)
    if not isinstance(offered, tuple):
        return offered if isinstance(offered, Result) or not refused else _refusal_of(refused, offered)
    quote, offers = offered
    unpaid: Problem | None = None
    for offer in offers:
        network = offer["network"]
        if any(each.network == network for each in refused):
            continue
        made = await _payment_for(own, key, quote, offer)
        if made is None:
            return None
        if isinstance(made, Problem):
            unpaid = unpaid or made
            continue
        if refused and buyer.on_refused:
            buyer.on_refused(refused[-1].problem, network_name(network))
        # From here on it stays counted, whatever the seller answers.
        result = await own.present(made, key)
        await to_thread(own.open.heard, made, result)
        if isinstance(result, Result) or not is_refused_payment(result):
            return result
        refused.append(_Refused(network, int(offer["amount"]), key, made, result))
    return _refusal_of(refused, unpaid)


async def _payment_for(own: _Call, key: str, quote: Quote, offer: Json) -> str | Problem | None:
    """A payment that is signed within the caps, and kept. Or why there is none; None: another process is first."""
    buyer, beside = own.buyer, sum(each.amount for each in own.refused)
    purpose = buyer.purpose_of(own.path, offer)
    give_back = await to_thread(buyer.budget.take, int(offer["amount"]), purpose, beside)
    if isinstance(give_back, str):
        return no("over_budget", give_back)
    try:
        made = await to_thread(buyer.wallet.signed, quote, offer)
        payment = as_base64(made)
        if buyer.on_signed:
            url = buyer.connection.address(own.path)
            at = written(datetime.now(timezone.utc))
            spent = Spent(at, usd_of(offer["amount"]), network_name(offer["network"]), offer["payTo"], url)
            await to_thread(buyer.on_signed, spent)
        known = [each.payment for each in own.refused]
        if await to_thread(own.open.begin, key, payment, made["payload"], offer, known):
            return payment
        await to_thread(give_back)
        return None
    except NotSigned as error:
        await to_thread(give_back)
        return no("cannot_pay", str(error))
    except Exception:
        await to_thread(give_back)
        raise


def _refusal_of(refused: list[_Refused], unpaid: Problem | None) -> Problem:
    """What the seller said last, and what he said of the other networks before."""
    only = refused[-1].problem if refused else unpaid or no("cannot_pay", "the quote has no offer")
    if len(refused) + (1 if refused and unpaid else 0) < 2:
        return only
    told = [plain(f"{network_name(each.network)}: {each.problem.message}") for each in refused]
    return replace(only, message="; ".join([*told, *([unpaid.message] if unpaid else [])]))

"""An answer, and how one is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from .connection import Heard, Lost
from .errors import CLIENT_CODES, Problem
from .proof import asks_for_proof
from .quote import Json, from_base64, plain

if TYPE_CHECKING:
    from .shapes import Receipt

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Result(Generic[Answer]):
    answer: Answer
    # None where nothing was paid for it, or the seller gives none.
    receipt: Receipt | None
    # It was paid by an earlier call.
    replayed: bool
    # What PAYMENT-RESPONSE says: the transaction, and the seller's signatures.
    settlement: Json | None
    url: str = ""
    question: Json = field(default_factory=dict)


def result_of(heard: Heard | Lost, charged: Literal[False] | None, question: Json) -> Result[Any] | Problem:
    """`charged`: what is known of it where the seller says nothing."""
    if isinstance(heard, Lost):
        return Problem("connection_lost", f"Nothing was heard from {heard.why}", 0, charged)
    told, status = heard.json, heard.status
    # A seller who sends one of them would speak in the client's name, of money that it has signed for.
    said_code = "unreadable" if heard.code in CLIENT_CODES else plain(heard.code)
    if not 200 <= status < 300:
        if 300 <= status < 400:
            code, message = "redirected", "It names another address, and nobody follows"
        else:
            refusal = None if said_code else _refusal_in(heard)
            code = said_code or ("payment_rejected" if refusal else "unreadable")
            message = refusal or plain(str(told.get("message", "")))
        # An error that is not the seller's, such as the page of a proxy, says nothing about the money.
        said = told.get("charged")
        known = charged if "charged" not in told else said if isinstance(said, bool) else None
        answer, until = _fate_in(heard)
        return Problem(code, message, status, known, answer, until)
    settlement = from_base64(heard.headers.get("payment-response"))
    # The page of a proxy or of a hotel's network comes with 200, too.
    if charged is None and settlement is None and isinstance(heard.said, str):
        message = "What it answers is no JSON, and says nothing of the payment"
        return Problem("unreadable", message, status, charged)
    receipt = told.get("receipt")
    return Result(
        answer=heard.said,
        receipt=receipt if isinstance(receipt, dict) else None,  # type: ignore[arg-type]
        replayed="idempotent-replayed" in heard.headers,
        settlement=settlement,
        url=heard.url,
        question=question,
    )


def _refusal_in(heard: Heard) -> str | None:
    """How a seller that is not Farebox refuses a payment: in headers of x402 alone. He says nothing of what was charged."""
    if heard.status != 402:
        return None
    quote, settlement = (from_base64(heard.headers.get(name)) or {} for name in ("payment-required", "payment-response"))
    why = settlement.get("errorReason", quote.get("error"))
    if not isinstance(why, str):
        return None
    return f"The seller refuses the payment ({plain(why[:200])}), and does not say whether it was charged"


def _fate_in(heard: Heard) -> tuple[Literal["kept", "gone"] | None, str | None]:
    """Whether the seller still keeps the answer to a payment that was taken before. While he does, he asks for a proof."""
    if heard.code != "payment_already_used" or heard.json.get("charged") is not True:
        return None, None
    until = heard.json.get("kept_until")
    return ("kept" if asks_for_proof(heard.json) else "gone"), until if isinstance(until, str) else None

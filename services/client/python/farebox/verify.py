"""
Checks the signatures of a settlement (x402's offer-receipt extension): that the seller's key signed the receipt, the question
and the answer. Nothing is asked but who signs, and that only where the caller does not know it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .canonical import canonical
from .kinds import ANSWER, RECEIPT, Kind
from .quote import Json
from .results import Result


@dataclass(frozen=True)
class Checked:
    # The seller signed it, and the question and the answer are those that were paid for.
    valid: bool
    signer: str | None
    # What was signed. None where no receipt is there.
    receipt: Json | None
    question_matches: bool | None
    answer_matches: bool | None


def checked(result: Result[Any], signers: Iterable[str]) -> Checked:
    settlement = result.settlement or {}
    proofs = _proofs_in(settlement)
    if proofs is None:
        return Checked(False, None, None, None, None)
    receipt, answered = proofs
    ours = {each.lower() for each in signers}
    signed_by = [_signer_of(RECEIPT, receipt), _signer_of(ANSWER, answered)]
    told, said = receipt["payload"], answered["payload"]
    question = _hash_of(result.question) == said.get("questionSha256")
    bare = {name: value for name, value in result.answer.items() if name != "receipt"}
    answer = _hash_of(bare) == said.get("answerSha256")
    together = (
        told.get("transaction") == said.get("transaction") == settlement.get("transaction")
        and told.get("resourceUrl") == said.get("resourceUrl")
        and told.get("payer") == said.get("payer")
        and told.get("network") == settlement.get("network")
        and (result.receipt is None or result.receipt["payment_tx"] == told.get("transaction"))
    )
    genuine = all(each is not None and each in ours for each in signed_by)
    return Checked(genuine and together and question and answer, signed_by[0], dict(told), question, answer)


def _proofs_in(settlement: Mapping[str, Any]) -> tuple[Json, Json] | None:
    at: Any = settlement
    for name in ("extensions", "offer-receipt", "info"):
        at = at.get(name) if isinstance(at, Mapping) else None
    found = [at.get(name) if isinstance(at, Mapping) else None for name in ("receipt", "answer")]
    if not all(
        isinstance(each, dict) and isinstance(each.get("payload"), dict) and isinstance(each.get("signature"), str)
        for each in found
    ):
        return None
    return found[0], found[1]  # type: ignore[return-value]


def _signer_of(kind: Kind, proof: Json) -> str | None:
    """A signature says nothing of fields that its kind does not have. A receipt with such fields is not as it was given."""
    from eth_account import Account
    from eth_account.messages import encode_typed_data

    domain, name, fields = kind
    payload = proof["payload"]
    if set(payload) != set(fields):
        return None
    try:
        message = {
            each: bytes.fromhex(payload[each][2:]) if type_ == "bytes32" else payload[each]
            for each, type_ in fields.items()
        }
        signable = encode_typed_data(
            {"name": domain, "version": "1", "chainId": 1},
            {name: [{"name": each, "type": type_} for each, type_ in fields.items()]},
            message,
        )
        return str(Account.recover_message(signable, signature=proof["signature"])).lower()
    except Exception:
        # A stranger wrote it: a field has another kind, or the signature is none.
        return None


def _hash_of(value: Any) -> str | None:
    """Hashes canonical JSON (RFC 8785). None: it has no canonical form."""
    try:
        return "0x" + hashlib.sha256(canonical(value)).hexdigest()
    except (ValueError, RecursionError):
        return None

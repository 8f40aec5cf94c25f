"""
Checks the signatures of a settlement (x402's offer-receipt extension): that the seller's key signed the receipt, the question
and the answer, and that the words beside the signatures say the same. Nothing is asked but who signs, and that only where the caller
does not know it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .canonical import canonical
from .kinds import ANSWER, RECEIPT, Kind
from .networks import NETWORKS
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
    told_answer = result.answer if isinstance(result.answer, dict) else {}
    bare = {name: value for name, value in told_answer.items() if name != "receipt"}
    answer = _hash_of(bare) == said.get("answerSha256")
    shown = [told_answer["receipt"]] if "receipt" in told_answer else []
    shown += [] if result.receipt is None else [result.receipt]
    genuine = all(each is not None and each in ours for each in signed_by)
    # What is not formed as its kind is has no signer, and is read no further.
    together = (
        genuine
        and all(told.get(name) == said.get(name) for name in ("transaction", "payer", "resourceUrl"))
        and _is_settlement(settlement, told)
        and all(_is_receipt(each, told) for each in shown)
    )
    own = {name: value for name, value in told.items() if name in RECEIPT.fields}
    return Checked(together and question and answer, signed_by[0], own, question, answer)


def _proofs_in(settlement: Mapping[str, Any]) -> tuple[Json, Json] | None:
    at: Any = settlement
    for name in ("extensions", "offer-receipt", "info"):
        at = at.get(name) if isinstance(at, Mapping) else None
    found = [at.get(name) if isinstance(at, Mapping) else None for name in ("receipt", "answer")]
    if not all(_is_proof(each) for each in found):
        return None
    return found[0], found[1]  # type: ignore[return-value]


def _is_proof(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"format", "payload", "signature"}
        and value.get("format", "eip712") == "eip712"
        and isinstance(value.get("payload"), dict)
        and isinstance(value.get("signature"), str)
    )


def _is_formed(type_: str, value: Any) -> bool:
    if type_ == "uint256":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    if type_ == "bytes32":
        return isinstance(value, str) and re.fullmatch(r"0x[0-9a-f]{64}", value) is not None
    return isinstance(value, str) and re.search(r"[\ud800-\udfff]", value) is None


def _is_settlement(settlement: Mapping[str, Any], signed: Json) -> bool:
    """Whether the words beside the signatures say what was signed, as far as they say it."""
    same = ("network", "payer", "transaction")
    return (
        set(settlement) <= {"success", "extensions", *same}
        and settlement.get("success", True) is True
        and all(settlement[name] == signed[name] for name in same if name in settlement)
    )


def _is_receipt(shown: Any, signed: Json) -> bool:
    """`request_id`, `fetched_at`, `tool` and `price_usdc` stand under no signature, and must have their form alone."""
    known = next((each.name for each in NETWORKS if each.id == signed["network"]), "")
    if not isinstance(shown, dict):
        return False

    def text(value: Any) -> bool:
        return isinstance(value, str)

    fits: dict[str, Callable[[Any], bool]] = {
        **{"request_id": text, "fetched_at": text, "tool": text},
        "price_usdc": lambda price: isinstance(price, (int, float)) and not isinstance(price, bool) and price >= 0,
        "charged": lambda charged: charged is True,
        # A test network has the name of its main network.
        "network": lambda name: text(name) and known != "" and (known == name or known.startswith(f"{name}-")),
        "payment_tx": lambda tx: text(tx) and tx == signed["transaction"],
        "replayed": lambda replayed: replayed is True,
        "charged_now": lambda charged: charged is False,
    }
    # The caller may have chosen some of its fields.
    return all(name in fits and fits[name](value) for name, value in shown.items())


def _signer_of(kind: Kind, proof: Json) -> str | None:
    """
    A signature says nothing of fields that its kind does not have, and holds for look-alikes: "0x1" and 1 are one number to it. A
    receipt with either is not as it was given.
    """
    from eth_account import Account
    from eth_account.messages import encode_typed_data

    domain, name, fields = kind
    payload = proof["payload"]
    if set(payload) != set(fields) or not all(_is_formed(type_, payload[name]) for name, type_ in fields.items()):
        return None
    if re.fullmatch(r"0x[0-9a-f]{128}1[bc]", proof["signature"]) is None:
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

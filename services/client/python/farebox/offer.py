"""Chooses the offer to pay: one for USDC as in our own table, in the one form that we sign."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .networks import NETWORKS, Network
from .quote import Json, Quote, plain

if TYPE_CHECKING:
    from .wallet import Wallet

# The longest life of a signature. Until then its holder can take the money.
_longest_s = 600
# A longer text is no amount of dollars.
_amount = re.compile(r"[1-9][0-9]{0,77}")
_evm_address = re.compile(r"0x[0-9a-fA-F]{40}")
_solana_address = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_most_offers = 20
_memo_limit_bytes = 256


def network_named(word: str) -> str:
    """The id of a network: its name and its id both stand for it."""
    return next((each.id for each in NETWORKS if each.name == word), word)


def network_name(network_id: str) -> str:
    return next((each.name for each in NETWORKS if each.id == network_id), network_id)


def _quoted(value: Any) -> str:
    return plain(json.dumps(value, ensure_ascii=False, default=str)[:60])


def payable(quote: Quote, wallet: Wallet, wanted: str | None) -> list[Json] | str:
    """The offers that can be paid, the first of each network, or the reason why there is none."""
    offers: dict[str, Json] = {}
    reasons: list[str] = []
    for offer in quote.accepts[:_most_offers]:
        reason = _refusal_of(offer, wallet, wanted)
        if reason is None:
            offers.setdefault(offer["network"], dict(offer))
        elif reason not in reasons:
            reasons.append(reason)
    return list(offers.values()) or "; ".join(reasons[:4]) or "the quote has no offer"


def _refusal_of(offer: Any, wallet: Wallet, wanted: str | None) -> str | None:
    if not isinstance(offer, dict):
        return f"{_quoted(offer)} is not an offer"
    known = next((each for each in NETWORKS if each.id == offer.get("network")), None)
    if known is None:
        return f"{_quoted(offer.get('network'))} is not a network it knows"
    if wanted is not None and known.id != network_named(wanted):
        return f"it offers {known.name}, and {network_name(wanted)} is wanted"
    if not wallet.has_key_for(known):
        return f"the wallet has no key for {known.name}"
    return _form_refusal(offer) or (_evm_refusal if known.domain else _solana_refusal)(offer, known)


def _form_refusal(offer: Json) -> str | None:
    scheme, atoms, window = offer.get("scheme"), offer.get("amount"), offer.get("maxTimeoutSeconds")
    if scheme != "exact":
        return f'the scheme {_quoted(scheme)} is not "exact"'
    if not _is(_amount, atoms):
        return f"{_quoted(atoms)} is not an amount"
    if type(window) is int and 0 < window <= _longest_s:
        return None
    return f"maxTimeoutSeconds is {_quoted(window)}, and a signature is good for {_longest_s} at most"


def _is(form: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _not_usdc(asset: Any, known: Network) -> str:
    return f"{_quoted(asset)} is not USDC of {known.name}, which is {known.usdc}"


def _evm_refusal(offer: Json, known: Network) -> str | None:
    asset, pay_to, extra = offer.get("asset"), offer.get("payTo"), offer.get("extra")
    if not isinstance(asset, str) or asset.lower() != known.usdc.lower():
        return _not_usdc(asset, known)
    if not _is(_evm_address, pay_to):
        return f"payTo is {_quoted(pay_to)}, not an address of {known.name}"
    if extra is not None and not isinstance(extra, dict):
        return f"extra is {_quoted(extra)}"
    # The table's domain is signed in any case. A different one in the quote is a sign of a false token.
    for name, own in zip(("name", "version"), known.domain or ()):
        said = (extra or {}).get(name, own)
        if said != own:
            return f"the {name} in the domain is {_quoted(said)}, and USDC of {known.name} has {_quoted(own)}"
    method = (extra or {}).get("assetTransferMethod") or "eip3009"
    return None if method == "eip3009" else f"{_quoted(method)} is not how it transfers"


def _solana_refusal(offer: Json, known: Network) -> str | None:
    asset, pay_to, extra = offer.get("asset"), offer.get("payTo"), offer.get("extra")
    if asset != known.usdc:
        return _not_usdc(asset, known)
    if not _is(_solana_address, pay_to):
        return f"payTo is {_quoted(pay_to)}, not an address of {known.name}"
    told = extra if isinstance(extra, dict) else {}
    if not _is(_solana_address, told.get("feePayer")):
        return f"feePayer is {_quoted(told.get('feePayer'))}, not an address of {known.name}"
    memo = told.get("memo")
    is_memo = memo is None or (
        isinstance(memo, str) and len(memo.encode("utf-8", "surrogatepass")) <= _memo_limit_bytes
    )
    return None if is_memo else f"the memo is no text of {_memo_limit_bytes} bytes"

"""
Proves to a seller that this wallet made a payment whose answer was lost (x402's sign-in-with-x). A seller may be anybody, so the
client writes the text: it signs no challenge for another host, or for anything but a payment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .address import host_of
from .networks import NETWORKS
from .quote import Json, as_base64

if TYPE_CHECKING:
    from .wallet import Wallet

_statement = "Give me the answer that I have paid for."
_time = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"
_forms = {"nonce": "[0-9a-zA-Z]{8,64}", "issuedAt": _time, "expirationTime": _time}
_payment = "urn:x402:payment:[0-9a-f]{64}"


def _fits(form: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(form, value, re.ASCII) is not None


def _object_in(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _asked(refusal: Json) -> Json:
    return _object_in(_object_in(refusal.get("extensions")).get("sign-in-with-x"))


def asks_for_proof(refusal: Json) -> bool:
    """Does the seller give an answer for a proof, by this wallet or another one?"""
    return len(_asked(refusal)) > 0


def proof_for(refusal: Json, url: str, wallet: Wallet) -> str | None:
    """The value of SIGN-IN-WITH-X. None if the refusal asks for nothing that the client signs."""
    asked = _asked(refusal)
    info = _object_in(asked.get("info"))
    chains = asked.get("supportedChains")
    chain = _object_in(chains[0]).get("chainId") if isinstance(chains, list) and chains else None
    network = next((each for each in NETWORKS if each.id == chain), None)
    told = info.get("resources")
    resources = told if isinstance(told, list) else []
    # The query string chooses fields of the answer, and is no part of what was bought.
    url = url.split("?")[0]
    host = host_of(url)
    is_ours = (
        info.get("domain") == host
        and info.get("uri") == url
        and info.get("statement") == _statement
        and info.get("version") == "1"
        and all(_fits(form, info.get(name)) for name, form in _forms.items())
        and len(resources) == 1
        and _fits(_payment, resources[0])
    )
    if not is_ours or network is None or not wallet.has_key_for(network):
        return None

    def text(address: str) -> str:
        return "\n".join(
            [
                f"{host} wants you to sign in with your {'Ethereum' if network.domain else 'Solana'} account:",
                *[address, "", _statement, "", f"URI: {url}", "Version: 1"],
                *[f"Chain ID: {network.id.split(':')[1]}", f"Nonce: {info['nonce']}"],
                *[f"Issued At: {info['issuedAt']}", f"Expiration Time: {info['expirationTime']}"],
                *["Resources:", f"- {resources[0]}"],
            ]
        )

    address, signature = wallet.signed_text(network, text)
    said = {name: info[name] for name in ("domain", "uri", "statement", "version", *_forms, "resources")}
    kind = {"chainId": network.id, "type": "eip191" if network.domain else "ed25519"}
    return as_base64({**said, **kind, "address": address, "signature": signature})

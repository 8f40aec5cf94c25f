"""Signs payments, with x402's own code. It is loaded when the first payment is signed on a family of chains."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .key_text import keys_in
from .networks import NETWORKS, Network
from .quote import Json, Quote

_hex = re.compile(r"[0-9a-fA-F]{64}")


class NotSigned(Exception):
    """No key signs the offer. The message is the reason."""


class Wallet:
    """Holds keys, and shows them to nobody: no text of it, and no error, repeats one."""

    __slots__ = ("__evm_key", "__solana_key", "__solana_rpc_url")

    def __init__(
        self,
        evm_key: str | None = None,
        solana_key: str | None = None,
        solana_rpc_url: str | None = None,
    ) -> None:
        """
        evm_key: 0x and 64 hex digits. solana_key: base58 as wallets export it, or the JSON list of its bytes.
        solana_rpc_url: a node of Solana: a payment there names a recent block. Without it, the block that
        the quote names, or the usual node.
        """
        self.__evm_key = evm_key or None
        self.__solana_key = solana_key or None
        self.__solana_rpc_url = solana_rpc_url or None

    @classmethod
    def from_text(cls, text: str, solana_rpc_url: str | None = None, source: str = "the text") -> Wallet:
        """Reads a text as the command does: an EVM key, a Solana key, or both, each on a line of its own."""
        return cls(*keys_in(text, source), solana_rpc_url)

    @classmethod
    def from_env(cls) -> Wallet:
        """From FAREBOX_KEY and FAREBOX_SOLANA_RPC. Without them it holds no key, and pays nothing."""
        url = os.environ.get("FAREBOX_SOLANA_RPC")
        return cls.from_text(os.environ.get("FAREBOX_KEY", ""), url, "FAREBOX_KEY")

    def __repr__(self) -> str:
        kinds = [name for name, key in (("evm", self.__evm_key), ("solana", self.__solana_key)) if key]
        return f"Wallet({', '.join(kinds)})"

    def __reduce__(self) -> str:
        raise TypeError("a wallet is not pickled: its keys would lie in the open")

    def has_key_for(self, network: Network) -> bool:
        return bool(self.__evm_key if network.domain else self.__solana_key)

    def signed(self, quote: Quote, offer: Json) -> Json:
        """
        Signs an offer that `payable` has chosen, and returns the value of PAYMENT-SIGNATURE as an object. Amount, payee,
        window and fee payer come from the quote. Token, domain and form come from here.
        """
        from x402.schemas import PaymentRequirements

        known = next((each for each in NETWORKS if each.id == offer["network"]), None)
        if known is None:
            raise NotSigned("the network is not known")
        own = {"name": known.domain[0], "version": known.domain[1]} if known.domain else dict(offer["extra"])
        terms = PaymentRequirements(
            scheme="exact",
            network=known.id,
            asset=known.usdc,
            amount=offer["amount"],
            pay_to=offer["payTo"],
            max_timeout_seconds=offer["maxTimeoutSeconds"],
            extra=own,
        )
        payload = self.__evm_payload(terms) if known.domain else self.__solana_payload(terms, known)
        envelope = {"x402Version": 2, "resource": quote.resource, "accepted": offer, "payload": payload}
        return {**envelope, **({"extensions": quote.extensions} if quote.extensions else {})}

    def signed_text(self, network: Network, text: Callable[[str], str]) -> tuple[str, str]:
        """Signs a text for people to read, as wallets do. The text holds the address that signs it."""
        if network.domain:
            from eth_account.messages import encode_defunct

            account = self.__evm_account()
            signed = account.sign_message(encode_defunct(text=text(account.address)))
            return account.address, "0x" + bytes(signed.signature).hex()
        pair = self.__solana_pair()
        address = str(pair.pubkey())
        return address, str(pair.sign_message(text(address).encode()))

    def __evm_payload(self, terms: Any) -> Json:
        from x402.mechanisms.evm.exact import ExactEvmScheme

        return dict(ExactEvmScheme(self.__evm_account()).create_payment_payload(terms))

    def __solana_payload(self, terms: Any, known: Network) -> Json:
        # It names its own client of nodes as one that will go.
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"x402\.mechanisms\.svm")
        from x402.mechanisms.svm.exact import ExactSvmScheme
        from x402.mechanisms.svm.signers import KeypairSigner

        from .solana_form import deviation

        pair = self.__solana_pair()
        wallet = str(pair.pubkey())
        if terms.extra["feePayer"] == wallet:
            raise NotSigned("feePayer is the wallet itself, and the seller's facilitator pays the fees")
        failed = ""
        payload: Json = {}
        try:
            scheme = ExactSvmScheme(KeypairSigner(pair), self.__solana_rpc_url)
            _know_mint(scheme, terms)
            if self.__solana_rpc_url:
                # Who names a node trusts it more than a quote.
                terms.extra.pop("recentBlockhash", None)
            payload = dict(scheme.create_payment_payload(terms))
        except Exception as error:
            # Its words may repeat the node's address, which may hold a key.
            failed = type(error).__name__
        if failed:
            usual = "" if self.__solana_rpc_url else " that is usual"
            raise NotSigned(f"the node of Solana{usual} gave no block: {failed}")
        other = deviation(str(payload.get("transaction")), wallet, terms, known)
        if other:
            raise NotSigned(f"the transaction is not one transfer of USDC: {other}")
        return payload

    def __evm_account(self) -> Any:
        from eth_account import Account

        text = (self.__evm_key or "").strip()
        digits = text[2:] if text[:2].lower() == "0x" else text
        account = None
        if _hex.fullmatch(digits):
            try:
                account = Account.from_key(bytes.fromhex(digits))
            except Exception:
                # The words of the library may repeat the key.
                account = None
        if account is None:
            raise NotSigned("the EVM key is not 0x and 64 hex digits of a key")
        return account

    def __solana_pair(self) -> Any:
        from solders.keypair import Keypair

        raw = _solana_bytes((self.__solana_key or "").strip())
        try:
            if raw is not None and len(raw) == 64:
                return Keypair.from_bytes(raw)
            if raw is not None and len(raw) == 32:
                return Keypair.from_seed(raw)
        except Exception:
            # The words of the library may repeat the key.
            raw = b""
        if raw == b"":
            raise NotSigned("the Solana key is no key: its halves do not belong together")
        raise NotSigned("the Solana key is neither 32 nor 64 bytes, in base58 or as a JSON list")


def _know_mint(scheme: Any, terms: Any) -> None:
    """The mint of USDC never changes. The scheme would ask a node for it, and does so where it keeps mints in another way."""
    from solders.pubkey import Pubkey

    from .solana_form import decimals, token_program

    with suppress(ImportError, AttributeError, TypeError):
        from x402.mechanisms.svm.mint_cache import MintMetadata

        mint = MintMetadata(decimals=decimals, token_program=Pubkey.from_string(token_program))
        scheme._mint_cache[(terms.network, terms.asset)] = mint


def _solana_bytes(text: str) -> bytes | None:
    """None: it has no such form. The errors of those who read it would repeat it."""
    from solders.pubkey import Pubkey
    from solders.signature import Signature

    if text.startswith("["):
        try:
            return bytes(json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None
    for form in (Signature, Pubkey):
        try:
            return bytes(form.from_string(text))
        except Exception:
            continue
    return None

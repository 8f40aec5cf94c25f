"""Reads the keys of a wallet from a text. No word of it is ever repeated: what is wrong is named by its line."""

from __future__ import annotations

import re

# EVM keys as people write them.
_evm = re.compile(r"(?:0x)?[0-9a-f]{64}", re.ASCII | re.IGNORECASE)
# 32 or 64 bytes in base58, or as a list.
_solana = re.compile(r"[1-9A-HJ-NP-Za-km-z]{43,44}|[1-9A-HJ-NP-Za-km-z]{86,88}|\[[\d\s,]+\]", re.ASCII)


class NoKey(ValueError):
    """A line is no key."""


def keys_in(text: str, source: str) -> tuple[str | None, str | None]:
    """The EVM key and the Solana key: each stands on a line of its own, in any order."""
    evm: str | None = None
    solana: str | None = None
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if not line or line.startswith("#"):
            continue
        if _evm.fullmatch(line):
            evm = evm or line
        elif _solana.fullmatch(line):
            solana = solana or line
        else:
            raise NoKey(
                f"line {number} of {source} is no key: a key is 0x and 64 hex digits, or 32 or 64 bytes in base58 or as a "
                "JSON list, without quotes"
            )
    return evm, solana

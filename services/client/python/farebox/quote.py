"""What a 402 says. A stranger wrote it, so nothing of it is believed before it is looked at."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Union

Dollars = Union[str, int, float]
Json = dict[str, Any]

# USDC has 6 decimals on every network of the table.
_decimals = 6
_controlling = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_dollars = re.compile(r"(\d+)(?:\.(\d{1,6}))?", re.ASCII)


def plain(text: str) -> str:
    """
    A stranger's words in one line, without what controls a terminal: another line of his would look like one of the program.
    """
    return "".join("?" if unicodedata.category(each) in _controlling else each for each in text)


def as_base64(value: Mapping[str, Any]) -> str:
    return base64.b64encode(json.dumps(value, separators=(",", ":")).encode()).decode()


def from_base64(text: str | None) -> Json | None:
    """None if the text, which a stranger wrote, is no object."""
    try:
        value = json.loads(base64.b64decode(text or ""))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@dataclass(frozen=True)
class Quote:
    """Its offers may have any form: `payable` judges them."""

    accepts: list[Any]
    resource: Any
    extensions: Any


def quote_in(header: str | None) -> Quote | None:
    told = from_base64(header)
    if not told or told.get("x402Version") != 2 or not isinstance(told.get("accepts"), list):
        return None
    return Quote(told["accepts"], told.get("resource"), told.get("extensions"))


def atoms_of(usd: Dollars) -> int:
    """Dollars, as text or number, in USDC's smallest unit."""
    text = format(Decimal(str(usd)), "f") if isinstance(usd, float) else str(usd)
    match = None if isinstance(usd, bool) else _dollars.fullmatch(text)
    if not match:
        raise ValueError("that is not an amount of dollars")
    return int(match[1] + (match[2] or "").ljust(_decimals, "0"))


def usd_of(atoms: int | str) -> str:
    digits = str(atoms).rjust(_decimals + 1, "0")
    cents = digits[-_decimals:].rstrip("0")
    return digits[:-_decimals] + (f".{cents}" if cents else "")

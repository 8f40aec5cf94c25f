"""Canonical JSON (RFC 8785), with the numbers of JavaScript, in which the seller and the other clients write it."""

from __future__ import annotations

from typing import Any

import rfc8785

# JavaScript counts no further without a fraction.
_largest = 2**53 - 1


def canonical(value: Any) -> bytes:
    """Raises ValueError where there is no such form."""
    return rfc8785.dumps(_as_numbers(value))


def _as_numbers(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_as_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: _as_numbers(each) for name, each in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _largest:
        return float(value)
    return value

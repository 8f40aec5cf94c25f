"""The host of an address, as a policy and a seller's challenge name it."""

from __future__ import annotations

from urllib.parse import urlsplit

_usual_ports = {"http": ":80", "https": ":443"}


def host_of(url: str) -> str:
    """In small letters, and with its port if it has one of its own."""
    parts = urlsplit(url)
    return parts.netloc.lower().removesuffix(_usual_ports.get(parts.scheme, ":"))

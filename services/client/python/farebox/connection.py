"""Asks a seller, who may be anybody: it follows no redirect, and bounds every answer."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional
from urllib.parse import urlsplit

import anyio
import httpx

from .address import host_of
from .quote import Json

# Answers after which the payment may still get what it paid for.
_unsettled = {"payment_unknown", "payment_in_flight"}
_pause_s = 0.5
_usual_patience_s = 60.0
_shortest_try_s = 10.0
# While no money is on its way, a seller who cannot be reached is asked again for this long.
_unreached_s = 2.0
# The longest time for one answer. Its size is bounded, too.
_answer_limit_s = 300.0
_answer_limit_bytes = 64 << 20
# One piece of an answer is unpacked as a whole. Packed twice, or more densely, a small piece would fill the memory.
_packings = {"", "identity", "gzip"}


@dataclass(frozen=True)
class Request:
    method: str
    headers: Mapping[str, str]
    body: Optional[bytes] = None

    def with_headers(self, **more: str) -> Request:
        named = {name.replace("_", "-"): value for name, value in more.items()}
        return Request(self.method, {**self.headers, **named}, self.body)

    def __repr__(self) -> str:
        # A payment stands in the headers.
        return f"Request({self.method})"


@dataclass(frozen=True)
class Heard:
    url: str
    status: int
    headers: httpx.Headers
    # What it says, where that is an object.
    json: Json
    # All that it says: JSON of any form, or a text.
    said: Any

    @property
    def code(self) -> str:
        code = self.json.get("error")
        return code if isinstance(code, str) else ""


@dataclass(frozen=True)
class Lost:
    """Nothing was heard, or not all of it: why, in words that hold nothing of the request."""

    why: str
    # The request did not even reach the seller.
    is_unreached: bool


class Connection:
    def __init__(self, url: str, patience: float | None, http: httpx.AsyncClient) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url is not an address of http or https")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url holds a name or a password, and they are not sent")
        self.url = url.rstrip("/")
        self.host = host_of(url)
        self.http = http
        self._patience = patience

    def address(self, path: str) -> str:
        return self.url + (path if path.startswith("/") else f"/{path}")

    def patience_end(self) -> float:
        """When the patience of a request ends that is sent from now on."""
        return time.monotonic() + (_usual_patience_s if self._patience is None else self._patience)

    async def ask(
        self, request: Request, path: str, until: float | None = None, paid: bool = False
    ) -> Heard | Lost:
        """With a payment it must be sent again, for the money may be on its way. Without one it can be, at no risk."""
        end = self.patience_end() if until is None else until
        unreached_end = end if paid else min(end, time.monotonic() + _unreached_s)
        while True:
            left_of_all = max(_shortest_try_s, end - time.monotonic())
            limit = _answer_limit_s if self._patience is None else min(left_of_all, _answer_limit_s)
            heard = await self._once(request, self.address(path), limit)
            asked = 0.0
            unreached = False
            if isinstance(heard, Lost):
                unreached = heard.is_unreached
            elif heard.code in _unsettled:
                asked = _seconds(heard.headers.get("retry-after"))
            else:
                return heard
            left = (unreached_end if unreached else end) - time.monotonic()
            if left < _pause_s:
                return heard
            await anyio.sleep(min(left, max(_pause_s, asked)))

    async def _once(self, request: Request, address: str, limit_s: float) -> Heard | Lost:
        # No error of httpx leaves this: what handles it may show the request, and a payment stands in that.
        try:
            with anyio.fail_after(limit_s):
                sent = self.http.build_request(
                    request.method,
                    address,
                    headers={"accept-encoding": "gzip", **request.headers},
                    content=request.body,
                    timeout=httpx.Timeout(limit_s, connect=min(limit_s, _shortest_try_s)),
                )
                # A redirect would carry the payment, which is as good as money, to anybody whom the seller names.
                response = await self.http.send(sent, stream=True, follow_redirects=False)
                try:
                    if response.headers.get("content-encoding", "").strip().lower() not in _packings:
                        return Lost(f"{self.host}: the answer is packed in a way that was not asked for", False)
                    chunks: list[bytes] = []
                    size = 0
                    async for chunk in response.aiter_bytes():
                        size += len(chunk)
                        if size > _answer_limit_bytes:
                            return Lost(f"{self.host}: the answer has no end", False)
                        chunks.append(chunk)
                finally:
                    with anyio.CancelScope(shield=True):
                        await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL):
            return Lost(f"{self.host}: it cannot be reached", True)
        except (TimeoutError, httpx.TimeoutException):
            return Lost(f"{self.host}: it said nothing for {limit_s:g} seconds", False)
        except (httpx.HTTPError, httpx.StreamError, OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return Lost(f"{self.host}: the connection was lost", False)
        return _read(address, response, b"".join(chunks))


def _read(address: str, response: httpx.Response, body: bytes) -> Heard | Lost:
    said: Any = body.decode("utf-8", "replace")
    if "json" in response.headers.get("content-type", ""):
        try:
            said = json.loads(body)
        except ValueError:
            return Lost(f"{host_of(address)}: what it answers is no answer", False)
        except RecursionError:
            # It nests deeper than Python reads. Who has paid for it gets its text.
            pass
    told = said if isinstance(said, dict) else {}
    return Heard(address, response.status_code, response.headers, told, said)


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 0.0

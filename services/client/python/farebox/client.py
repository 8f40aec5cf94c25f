"""The client: asks, pays within its caps, and returns the answer or raises the reason why there is none."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union
from urllib.parse import urlencode

import httpx
from typing_extensions import TypedDict, Unpack

from .budget import Budget, Purse
from .buyer import Buyer
from .buying import call
from .calls import AsyncCalls, Calls
from .connection import Connection, Lost, Request
from .errors import ConnectionLost, Problem, error_of
from .keep_folder import KeepInFolder
from .kept import Kept
from .loop_thread import LoopThread
from .policy import Policy
from .purse_file import PurseInFile
from .quote import Dollars, Quote, quote_in
from .results import Result, result_of
from .spending import Spent
from .state_folder import Folder
from .verify import Checked, checked
from .wallet import Wallet


class Options(TypedDict, total=False):
    wallet: Optional[Wallet]
    # The network to pay on: base, solana, another name, or a CAIP-2 id.
    network: Optional[str]
    # US dollars: 1 where nothing is said.
    max_usd_per_call: Optional[Dollars]
    # US dollars a UTC day: 5 where nothing is said.
    max_usd_per_day: Optional[Dollars]
    # Caps by host, operation and payee, too. All caps hold that are given, here and there.
    policy: Optional[Policy]
    # Counts the spending. A file that all processes of this user share, where nothing is said.
    purse: Optional[Purse]
    # A folder where a payment and its key are kept from before it is sent until its answer is here. The same question then
    # presents it again, in another process too, and pays nothing new.
    keep: Union[KeepInFolder, Folder, None]
    # Hears that a kept payment is presented again.
    on_taken_up: Optional[Callable[[Kept], None]]
    # Hears that it was never taken and is dead, and that another is signed.
    on_replaced: Optional[Callable[[Kept], None]]
    # Hears that a payment was refused, uncharged, and on which network the next one is signed.
    on_refused: Optional[Callable[[Problem, str], None]]
    # Hears of each payment that is signed, before it is sent. If it raises, nothing is sent.
    on_signed: Optional[Callable[[Spent], None]]
    # How many seconds the same payment is presented again after a lost connection: 60 where nothing is said.
    patience: Optional[float]
    # The addresses that sign receipts. The seller is asked once where nothing is said.
    signers: Optional[Sequence[str]]
    http: Optional[httpx.AsyncClient]


class AsyncFarebox(AsyncCalls):
    """Asks, pays and returns the answer. `Options` says what each option is."""

    def __init__(self, url: str, **options: Unpack[Options]) -> None:
        # A cap that is misspelt is no cap.
        unknown = sorted(set(options) - set(Options.__annotations__))
        if unknown:
            raise TypeError(f"there is no option {unknown[0]}; there are {', '.join(Options.__annotations__)}")
        caps = (options.get("max_usd_per_call"), options.get("max_usd_per_day"), options.get("policy"))
        budget = Budget(*caps, options.get("purse") or PurseInFile())
        self._http = options.get("http") or httpx.AsyncClient()
        self._connection = Connection(url, options.get("patience"), self._http)
        keep = options.get("keep")
        folder = keep if keep is None or isinstance(keep, KeepInFolder) else KeepInFolder(keep)
        self._buyer = Buyer(
            *(self._connection, options.get("wallet") or Wallet(), options.get("network"), budget, folder),
            *(options.get("on_taken_up"), options.get("on_replaced"), options.get("on_refused"), options.get("on_signed")),
        )
        signers = options.get("signers")
        self._signers = None if signers is None else list(signers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.host})"

    async def __aenter__(self) -> AsyncFarebox:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def call(
        self,
        path: str,
        question: Optional[Mapping[str, Any]] = None,
        *,
        key: Optional[str] = None,
        payment: Optional[str] = None,
        dry_run: bool = False,
    ) -> Result[Any]:
        """Asks any path, without its types. key: the Idempotency-Key. payment: one that was presented before."""
        return await self._ask("POST", path, question, key, payment, dry_run)

    async def quote(self, path: str) -> Quote | None:
        """The price, without paying. None: it is free, or not sold."""
        heard = await self._connection.ask(Request("POST", {}), path)
        if isinstance(heard, Lost):
            raise ConnectionLost(Problem("connection_lost", f"Nothing was heard from {heard.why}", 0, False))
        return quote_in(heard.headers.get("payment-required"))

    async def verify(self, result: Result[Any]) -> Checked:
        """
        Whether the seller signed this answer to this question, and the receipt of its payment. `receipt` is None where he gave none,
        so that there is nothing to verify.
        """
        unsigned = await to_thread(checked, result, [])
        if unsigned.receipt is None:
            return unsigned
        if self._signers is None:
            told = (await self._ask("GET", "/receipts/signer", None)).answer
            self._signers = [told["signer"], *told["former"]]
        return await to_thread(checked, result, self._signers)

    async def _ask(
        self,
        method: str,
        path: str,
        question: Optional[Mapping[str, Any]],
        key: Optional[str] = None,
        payment: Optional[str] = None,
        dry_run: bool = False,
    ) -> Result[Any]:
        asked = dict(question or {})
        path = path if path.startswith("/") else f"/{path}"
        ended: Result[Any] | Problem
        if method == "GET":
            query = f"?{urlencode(asked)}" if asked else ""
            heard = await self._connection.ask(Request("GET", {}), path + query)
            ended = result_of(heard, False, asked)
        else:
            ended = await call(self._buyer, path, asked, key, payment, dry_run)
        if isinstance(ended, Problem):
            raise error_of(ended)
        return ended


class Farebox(Calls):
    """The same, without `async`: each call waits for its answer, and a thread of its own does the work."""

    def __init__(self, url: str, **options: Unpack[Options]) -> None:
        self._inner = AsyncFarebox(url, **options)
        self._loop = LoopThread()

    def __repr__(self) -> str:
        return repr(self._inner).removeprefix("Async")

    def __enter__(self) -> Farebox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._loop.is_closed:
            return
        self._loop.run(self._inner.close())
        self._loop.close()

    def call(
        self,
        path: str,
        question: Optional[Mapping[str, Any]] = None,
        *,
        key: Optional[str] = None,
        payment: Optional[str] = None,
        dry_run: bool = False,
    ) -> Result[Any]:
        """Asks any path, without its types. key: the Idempotency-Key. payment: one that was presented before."""
        return self._ask("POST", path, question, key, payment, dry_run)

    def quote(self, path: str) -> Quote | None:
        """The price, without paying. None: it is free, or not sold."""
        return self._loop.run(self._inner.quote(path))

    def verify(self, result: Result[Any]) -> Checked:
        """Whether the seller signed this answer to this question, and the receipt of its payment."""
        return self._loop.run(self._inner.verify(result))

    def _ask(
        self,
        method: str,
        path: str,
        question: Optional[Mapping[str, Any]],
        key: Optional[str] = None,
        payment: Optional[str] = None,
        dry_run: bool = False,
    ) -> Result[Any]:
        return self._loop.run(self._inner._ask(method, path, question, key, payment, dry_run))

"""How a call ends without an answer, with the truth about the money."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Problem:
    code: str
    message: str
    # 0 where nothing was heard.
    status: int
    # None where nobody can tell: give `payment` to the same question again. True: the payment was taken before.
    charged: bool | None
    # The answer to a payment that was taken. kept: the seller gives it again to the wallet that paid. gone: he
    # keeps it no longer. None: he does not say.
    answer: Literal["kept", "gone"] | None = None
    # The seller's word: he keeps the answer until then.
    kept_until: str | None = None
    # As good as money to whoever holds it, so no text of this shows it. None where nothing can be had for it.
    payment: str | None = field(default=None, repr=False)
    # The Idempotency-Key that the payment was presented with.
    key: str | None = field(default=None, repr=False)


class FareboxError(Exception):
    """Any end of a call without an answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.problem.code}: {self.problem.message}"

    @property
    def message(self) -> str:
        return self.problem.message

    @property
    def status(self) -> int:
        return self.problem.status

    @property
    def charged(self) -> bool | None:
        return self.problem.charged

    @property
    def answer(self) -> Literal["kept", "gone"] | None:
        return self.problem.answer

    @property
    def kept_until(self) -> str | None:
        return self.problem.kept_until

    @property
    def payment(self) -> str | None:
        return self.problem.payment

    @property
    def key(self) -> str | None:
        return self.problem.key


class Refused(FareboxError):
    """The seller said no. `farebox.refusals` has a class for each of his codes."""

    code: ClassVar[str] = ""


class OverBudget(FareboxError):
    """A cap forbids it. Nothing was signed."""


class CannotPay(FareboxError):
    """The wallet cannot pay any offer. Nothing was sent."""


class DryRun(FareboxError):
    """It would have been paid. Nothing was signed."""


class ConnectionLost(FareboxError):
    """Nothing was heard, or not all of it."""


class Redirected(FareboxError):
    """It names another address, and nobody follows: a payment is as good as money to whoever holds it."""


class Unreadable(FareboxError):
    """An answer that is not the seller's, such as the page of a proxy."""


_own = {
    "over_budget": OverBudget,
    "cannot_pay": CannotPay,
    "dry_run": DryRun,
    "connection_lost": ConnectionLost,
    "redirected": Redirected,
    "unreadable": Unreadable,
}
CLIENT_CODES = frozenset(_own)


def error_of(problem: Problem) -> FareboxError:
    from . import refusals

    if problem.code in _own:
        return _own[problem.code](problem)
    for each in vars(refusals).values():
        if isinstance(each, type) and issubclass(each, Refused) and each.code == problem.code:
            return each(problem)
    return Refused(problem)


def no(code: str, message: str) -> Problem:
    return Problem(code, f"{message}. Nothing was paid.", 402, False)

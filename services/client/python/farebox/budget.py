"""The caps, and the spending."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Protocol

from .policy import Purpose, checked_policy, rules_for
from .quote import Dollars, atoms_of, usd_of


@dataclass(frozen=True)
class Taken:
    taken: bool
    # The sum of the day before this amount.
    spent: int


class Purse(Protocol):
    """
    Counts the spending of a UTC day such as 2026-11-22, or of a part of it that a policy caps, such as 2026-11-22.1f0c….
    Amounts are in USDC's smallest unit.
    """

    def take(self, day: str, atoms: int, most: int) -> Taken:
        """
        Adds `atoms`, unless the day would then hold more than `most`. No other process may come in between. With 0 atoms it only
        tells the sum.
        """
        ...

    def give_back(self, day: str, atoms: int) -> None:
        """Subtracts an amount that was taken and never signed."""
        ...


class PurseInMemory:
    """Counts for one process, while it lives."""

    def __init__(self) -> None:
        self._days: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, day: str, atoms: int, most: int) -> Taken:
        with self._lock:
            spent = self._days.get(day, 0)
            taken = spent + atoms <= most
            if taken:
                self._days[day] = spent + atoms
            return Taken(taken, spent)

    def give_back(self, day: str, atoms: int) -> None:
        with self._lock:
            self._days[day] = self._days.get(day, 0) - atoms


def _least(given: tuple[Dollars | None, ...], usual: int) -> int:
    """Where several caps are given, all of them hold."""
    return min((atoms_of(cap) for cap in given if cap is not None), default=atoms_of(usual))


class Budget:
    def __init__(
        self,
        max_usd_per_call: Dollars | None,
        max_usd_per_day: Dollars | None,
        policy: Mapping[str, Any] | None,
        purse: Purse,
    ) -> None:
        self._policy = checked_policy(policy or {})
        self._per_call = _least((max_usd_per_call, self._policy.get("max_usd_per_call")), 1)
        self._per_day = _least((max_usd_per_day, self._policy.get("max_usd_per_day")), 5)
        self._purse = purse

    def take(self, atoms: int, purpose: Purpose, beside: int = 0) -> Callable[[], None] | str:
        """
        Takes the amount from the day's budget before anything is signed. Returns the reason if it may not be spent, or what
        gives it back: that is for an amount that was never signed. The holder of a signature can take the money, whatever he says.
        `beside` is what the same call has signed before: all that it signs counts as its price.
        """
        counts = self._counts_of(atoms, purpose, beside)
        if isinstance(counts, str):
            return counts
        held: list[str] = []

        def give_back() -> None:
            # Each once, also where it is called again because one of them has failed.
            while held:
                self._purse.give_back(held.pop(), atoms)

        # From every count, or from none.
        for key, most, cap in counts:
            taken = self._purse.take(key, atoms, most)
            if not taken.taken:
                give_back()
                return _over(atoms, taken.spent, cap, most)
            held.append(key)
        return give_back

    def refusal_of(self, atoms: int, purpose: Purpose) -> str | None:
        """The reason why the amount may not be spent now. It takes nothing, so there is nothing to give back."""
        counts = self._counts_of(atoms, purpose, 0)
        if isinstance(counts, str):
            return counts
        for key, most, cap in counts:
            spent = self._purse.take(key, 0, most).spent
            if spent + atoms > most:
                return _over(atoms, spent, cap, most)
        return None

    def _counts_of(self, atoms: int, purpose: Purpose, beside: int) -> list[tuple[str, int, str]] | str:
        """The sums of the day that must have room for the amount, or the cap of a call that it is above."""
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        call = atoms + beside
        costs = _cost_of(atoms) + (f", {usd_of(beside)} were signed before in this call" if beside else "")
        if call > self._per_call:
            return f"{costs}, and max_usd_per_call is {usd_of(self._per_call)}"
        rules = rules_for(self._policy, purpose)
        if isinstance(rules, str):
            return rules
        for rule in rules:
            if rule.per_call is not None and call > rule.per_call:
                return f"{costs}, and the policy caps a call of {rule.of} at {usd_of(rule.per_call)}"
        counts = [(day, self._per_day, "max_usd_per_day is")]
        for rule in rules:
            if rule.per_day is not None:
                counts.append((f"{day}.{rule.scope}", rule.per_day, f"the policy caps a day of {rule.of} at"))
        return counts


def _cost_of(atoms: int) -> str:
    return f"it costs {usd_of(atoms)} USDC"


def _over(atoms: int, spent: int, cap: str, most: int) -> str:
    return f"{_cost_of(atoms)}, {usd_of(spent)} were spent today, and {cap} {usd_of(most)}"

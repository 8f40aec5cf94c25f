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
        """Adds `atoms`, unless the day would then hold more than `most`. No other process may come in between."""
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

    def take(self, atoms: int, purpose: Purpose) -> Callable[[], None] | str:
        """
        Takes the amount from the day's budget before anything is signed. Returns the reason if it may not be spent, or what
        gives it back: that is for an amount that was never signed. The holder of a signature can take the money, whatever he says.
        """
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        costs = f"it costs {usd_of(atoms)} USDC"
        if atoms > self._per_call:
            return f"{costs}, and max_usd_per_call is {usd_of(self._per_call)}"
        rules = rules_for(self._policy, purpose)
        if isinstance(rules, str):
            return rules
        for rule in rules:
            if rule.per_call is not None and atoms > rule.per_call:
                return f"{costs}, and the policy caps a call of {rule.of} at {usd_of(rule.per_call)}"
        counts = [(day, self._per_day, "max_usd_per_day is")]
        for rule in rules:
            if rule.per_day is not None:
                counts.append((f"{day}.{rule.scope}", rule.per_day, f"the policy caps a day of {rule.of} at"))
        return self._take_all(atoms, counts, costs)

    def _take_all(self, atoms: int, counts: list[tuple[str, int, str]], costs: str) -> Callable[[], None] | str:
        """Takes the amount from every count, or from none."""
        held: list[str] = []

        def give_back() -> None:
            for key in held:
                self._purse.give_back(key, atoms)

        for key, most, cap in counts:
            taken = self._purse.take(key, atoms, most)
            if not taken.taken:
                give_back()
                return f"{costs}, {usd_of(taken.spent)} were spent today, and {cap} {usd_of(most)}"
            held.append(key)
        return give_back

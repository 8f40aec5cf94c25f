"""A process that spends from its user's purse as fast as it can. It prints each amount that it may sign for."""

import sys

from farebox import PurseInFile
from farebox.budget import Budget
from farebox.policy import Purpose

tries, cap = sys.argv[1:]
budget = Budget(None, cap, None, PurseInFile())
for _ in range(int(tries)):
    taken = budget.take(1000, Purpose("seller.example", "/fx", "0x1"))
    print("no" if isinstance(taken, str) else "yes", flush=True)

"""farebox: public data by the call, typed, paid in USDC over x402."""

from .budget import Purse, PurseInMemory, Taken
from .calls import OPERATIONS
from .client import AsyncFarebox, Farebox
from .errors import (
    CannotPay,
    ConnectionLost,
    DryRun,
    FareboxError,
    OverBudget,
    Problem,
    Redirected,
    Refused,
    Unreadable,
)
from .keep_folder import KeepInFolder
from .kept import Kept
from .policy import Policy, WrongPolicy, policy_in
from .purse_file import PurseInFile
from .quote import Quote
from .results import Result
from .spending import Spent, spending_in_folder, spent_in
from .verify import Checked
from .version import VERSION as __version__
from .wallet import Wallet

__all__ = [
    "OPERATIONS",
    "AsyncFarebox",
    "CannotPay",
    "Checked",
    "ConnectionLost",
    "DryRun",
    "Farebox",
    "FareboxError",
    "KeepInFolder",
    "Kept",
    "OverBudget",
    "Policy",
    "Problem",
    "Purse",
    "PurseInFile",
    "PurseInMemory",
    "Quote",
    "Redirected",
    "Refused",
    "Result",
    "Spent",
    "Taken",
    "Unreadable",
    "Wallet",
    "WrongPolicy",
    "__version__",
    "policy_in",
    "spending_in_folder",
    "spent_in",
]

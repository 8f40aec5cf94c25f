"""Buys from a seller that is not Farebox, and prints what came of it."""

import dataclasses
import json
import os

from farebox import Farebox, FareboxError, PurseInMemory, Wallet

said = {}
for network in ("base", "solana"):
    with Farebox(os.environ["FAREBOX_URL"], wallet=Wallet.from_env(), network=network, purse=PurseInMemory()) as farebox:
        bought = farebox.call("/joke", {"about": "x402"})
        assert bought.settlement is not None
        checked = dataclasses.asdict(farebox.verify(bought))
        said[network] = [bought.answer["about"], bought.settlement["success"], bought.receipt, checked["valid"], checked["receipt"]]
# The wallet is empty.
poor = Farebox(os.environ["FAREBOX_URL"], wallet=Wallet("0x" + os.urandom(32).hex()), purse=PurseInMemory(), patience=0)
try:
    poor.call("/joke", {"about": "x402"})
except FareboxError as refusal:
    said["refused"] = [refusal.code, refusal.charged, str(refusal)]
print(json.dumps(said))

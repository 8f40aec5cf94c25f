"""Buys from the sandbox, without and with `async`, and prints what came of it."""

import asyncio
import dataclasses
import json
import os

from farebox import AsyncFarebox, CannotPay, DryRun, Farebox, FareboxError, OverBudget, Wallet, refusals, spent_in
from farebox import spending_in_folder

url = os.environ["FAREBOX_URL"]
wallet = Wallet.from_env()
question = {"from": "USD", "to": "JPY"}
said = {}


def shown(result):
    return {"answer": result.answer, "replayed": result.replayed, "settlement": result.settlement}


for network in ("base", "solana"):
    with Farebox(url, wallet=wallet, network=network, on_signed=spending_in_folder()) as farebox:
        bought = farebox.fx(question)
        said[network] = shown(bought)
        said[f"{network} checked"] = dataclasses.asdict(farebox.verify(bought))
        changed = dataclasses.replace(bought, answer={**bought.answer, "rate": 1})
        said[f"{network} changed"] = dataclasses.asdict(farebox.verify(changed))
        try:
            farebox.ip({"ip": "10.0.0.1"})
        except refusals.ReservedAddress as refusal:
            said[f"{network} refused"] = [refusal.code, refusal.status, refusal.charged]

# It is never closed, and the program ends all the same.
farebox = Farebox(url, wallet=wallet)
with_key = [farebox.fx(question, key="only-once-python") for _ in range(2)]
said["replayed"] = [each.replayed for each in with_key]
said["transactions"] = [each.receipt["payment_tx"] for each in with_key]
said["pinned"] = [Farebox(url, signers=[signer]).verify(with_key[0]).valid for signer in (
    farebox.receipts_signer().answer["signer"], "0x" + "12" * 20)]
said["free"] = sorted(farebox.market_method().answer)[:1]
said["quote"] = farebox.quote("/fx").accepts[0]["amount"]
for caps, wallet_of, wanted in (
    ({"max_usd_per_call": 0.001}, wallet, OverBudget),
    ({"policy": {"operations": {"/ip": {}}}}, wallet, OverBudget),
    ({}, Wallet(), CannotPay),
):
    try:
        Farebox(url, wallet=wallet_of, **caps).fx(question)
    except wanted as no:
        said.setdefault("no", []).append(str(no))
# The wallet of Base is empty.
key = os.environ["FAREBOX_KEY"].splitlines()[1]
poor = Farebox(url, wallet=Wallet("0x" + os.urandom(32).hex(), key), on_refused=lambda no, next: said.update(refused=[no.code, next]))
said["instead"] = poor.fx(question).receipt["network"]
try:
    farebox.fx(question, dry_run=True)
except DryRun as dry:
    said["dry"] = str(dry)
said["spent"] = [[each.usd, each.network, each.url] for each in spent_in()]


async def at_once():
    async with AsyncFarebox(url, wallet=wallet, network="base") as farebox:
        bought = await asyncio.gather(*(farebox.fx(question) for _ in range(3)), farebox.ip({"ip": "8.8.8.8"}))
        return [each.receipt["payment_tx"] for each in bought]


said["at once"] = len(set(asyncio.run(at_once())))
print(json.dumps(said))

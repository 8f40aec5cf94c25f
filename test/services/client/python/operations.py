"""Buys the documented example of every operation, on each network, without and with `async`."""

import asyncio
import json
import os
import sys

from farebox import AsyncFarebox, Farebox, FareboxError, PurseInMemory, Wallet
from farebox.calls import OPERATIONS

url, wallet = os.environ["FAREBOX_URL"], Wallet.from_env()
examples = json.load(sys.stdin)
ended = []


def told(way, name, error):
    ended.append([way, name, str(error), error.charged if isinstance(error, FareboxError) else "broken"])


async def asked(farebox, way):
    for name, question in examples.items():
        try:
            result = await getattr(farebox, name)(question)
            assert OPERATIONS[name].price_usd is None or (await farebox.verify(result)).valid, "not genuine"
            ended.append([way, name, "ok", result.receipt is not None])
        except Exception as error:
            told(way, name, error)


for network in ("base", "solana"):
    options = {"wallet": wallet, "network": network, "purse": PurseInMemory(), "max_usd_per_call": 10, "max_usd_per_day": 100}
    asyncio.run(asked(AsyncFarebox(url, **options), f"{network} async"))
    with Farebox(url, **options) as farebox:
        for name, question in examples.items():
            try:
                result = getattr(farebox, name)(question)
                assert OPERATIONS[name].price_usd is None or farebox.verify(result).valid, "not genuine"
                ended.append([network, name, "ok", result.receipt is not None])
            except Exception as error:
                told(network, name, error)
print(json.dumps(ended))

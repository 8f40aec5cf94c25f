"""Python, with x402's own client: pip install 'x402[httpx,evm]'"""
import asyncio
import json
import os

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme


async def main() -> None:
    wallet = EthAccountSigner(Account.from_key(os.environ["FAREBOX_KEY"]))
    payer = x402Client().register("eip155:8453", ExactEvmScheme(wallet))
    payer.set_spend_controls({"max_amount_per_payment": "$0.05"})  # other tokens than its known ones it does not pay
    url = os.environ.get("FAREBOX_URL", "http://127.0.0.1:8402")
    async with x402HttpxClient(payer, timeout=60) as http:
        response = await http.post(f"{url}/fx", json={"from": "USD", "to": "JPY", "amount": 100})
        print(json.dumps(response.json()))


asyncio.run(main())

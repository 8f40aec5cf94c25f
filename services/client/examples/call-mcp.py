"""An MCP client that pays: pip install mcp 'x402[evm]'"""
import asyncio
import json
import os

from eth_account import Account
from mcp import Client
from x402 import x402Client
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.schemas import PaymentRequired


async def main() -> None:
    wallet = EthAccountSigner(Account.from_key(os.environ["FAREBOX_KEY"]))
    payer = x402Client().register("eip155:8453", ExactEvmScheme(wallet))
    payer.set_spend_controls({"max_amount_per_payment": "$0.05"})  # other tokens than its known ones it does not pay
    async with Client(os.environ.get("FAREBOX_URL", "http://127.0.0.1:8402") + "/mcp") as mcp:
        print(", ".join(tool.name for tool in (await mcp.list_tools()).tools))
        free = await mcp.call_tool("fx", {"from": "USD", "to": "JPY"})
        print(json.dumps(free.structured_content["receipt"]))

        asked = {"ticker": "AAPL"}
        unpaid = await mcp.call_tool("data_company", asked)
        required = PaymentRequired.model_validate(unpaid.structured_content)
        payment = (await payer.create_payment_payload(required)).model_dump(by_alias=True, exclude_none=True)
        paid = await mcp.call_tool("data_company", asked, meta={"x402/payment": payment})
        print(json.dumps(paid.structured_content["receipt"]))


asyncio.run(main())

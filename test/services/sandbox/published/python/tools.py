"""Pays tools with the MCP client of the versions 1.x, as its documentation has it, and prints the answers."""

import asyncio
import json
import os

from eth_account import Account
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest
from x402 import x402Client
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.schemas import PaymentRequired

questions = [{"ticker": "AAPL"}, {"cik": "320193"}]


async def main():
    payer = x402Client().register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["FAREBOX_KEY"]))))
    async with streamablehttp_client(f"{os.environ['FAREBOX_URL']}/mcp") as (reading, writing, _):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            assert "data_company" in [tool.name for tool in (await session.list_tools()).tools]
            for question in questions:
                unpaid = await session.call_tool("data_company", question)
                required = PaymentRequired.model_validate_json(unpaid.content[0].text)
                payment = (await payer.create_payment_payload(required)).model_dump(by_alias=True, exclude_none=True)
                params = CallToolRequestParams(name="data_company", arguments=question, _meta={"x402/payment": payment})
                asked = ClientRequest(CallToolRequest(method="tools/call", params=params))
                paid = await session.send_request(asked, CallToolResult)
                print(json.dumps(json.loads(paid.content[0].text)))


asyncio.run(main())

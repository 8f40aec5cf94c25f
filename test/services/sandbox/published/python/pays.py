"""Pays questions with x402's clients for requests and httpx, as their documentation has it, and prints the answers."""

import asyncio
import json
import os

import requests
from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.http.clients import wrapRequestsWithPayment, x402HttpxClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.svm import KeypairSigner
from x402.mechanisms.svm.exact import ExactSvmScheme

url = os.environ["FAREBOX_URL"]
questions = [{"from": "USD", "to": "JPY"}, {"from": "EUR", "to": "USD"}]


def registered(client):
    if os.environ["NETWORK"] == "base":
        return client.register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["FAREBOX_KEY"]))))
    signer = KeypairSigner.from_base58(os.environ["SOLANA_KEY"])
    return client.register("solana:*", ExactSvmScheme(signer, os.environ["FAREBOX_SOLANA_RPC"]))


def by_requests():
    session = wrapRequestsWithPayment(requests.Session(), registered(x402ClientSync()))
    for question in questions:
        print(json.dumps(session.post(f"{url}/fx", json=question).json()))


async def by_httpx():
    async with x402HttpxClient(registered(x402Client()), timeout=60) as http:
        for question in questions:
            print(json.dumps((await http.post(f"{url}/fx", json=question)).json()))


by_requests() if os.environ["CLIENT"] == "requests" else asyncio.run(by_httpx())

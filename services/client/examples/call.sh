#!/usr/bin/env bash
# curl, with a payment signed by hand: npm install viem, for the signature alone.
set -euo pipefail
url=${FAREBOX_URL:-http://127.0.0.1:8402}
ask() { curl -sS -X POST "$url/fx" -H 'content-type: application/json' -d '{"from":"USD","to":"JPY"}' "$@"; }

quote=$(ask -D - -o /dev/null | tr -d '\r' | sed -n 's/^payment-required: //Ip')

payment=$(QUOTE=$quote node --input-type=module -e '
  import { randomBytes } from "node:crypto"
  import { privateKeyToAccount } from "viem/accounts"
  const quote = JSON.parse(Buffer.from(process.env.QUOTE, "base64"))
  const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
  const accepted = quote.accepts.find(({ network, asset }) => network === "eip155:8453" && asset === usdc)
  if (!(accepted?.amount > 0 && accepted.amount <= 50_000)) throw new Error("not up to 0.05 USDC on Base")
  const wallet = privateKeyToAccount(process.env.FAREBOX_KEY)
  const authorization = {
    from: wallet.address, to: accepted.payTo, value: accepted.amount, validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + 60),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  }
  const fields = { from: "address", to: "address", value: "uint256", validAfter: "uint256", validBefore: "uint256", nonce: "bytes32" }
  const signature = await wallet.signTypedData({
    domain: { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: usdc },
    types: { TransferWithAuthorization: Object.entries(fields).map(([name, type]) => ({ name, type })) },
    primaryType: "TransferWithAuthorization", message: authorization,
  })
  const payload = { x402Version: 2, resource: quote.resource, accepted, payload: { signature, authorization } }
  console.log(Buffer.from(JSON.stringify(payload)).toString("base64"))')

ask -H "payment-signature: $payment"

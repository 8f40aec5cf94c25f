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
  const accepted = quote.accepts.find(({ network }) => network === "eip155:8453")
  const wallet = privateKeyToAccount(process.env.FAREBOX_KEY)
  const authorization = {
    from: wallet.address, to: accepted.payTo, value: accepted.amount, validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  }
  const fields = { from: "address", to: "address", value: "uint256", validAfter: "uint256", validBefore: "uint256", nonce: "bytes32" }
  const signature = await wallet.signTypedData({
    domain: { ...accepted.extra, chainId: 8453, verifyingContract: accepted.asset },
    types: { TransferWithAuthorization: Object.entries(fields).map(([name, type]) => ({ name, type })) },
    primaryType: "TransferWithAuthorization", message: authorization,
  })
  const payload = { x402Version: 2, resource: quote.resource, accepted, payload: { signature, authorization } }
  console.log(Buffer.from(JSON.stringify(payload)).toString("base64"))')

ask -H "payment-signature: $payment"

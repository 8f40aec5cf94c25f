/** TypeScript, with x402's own client: npm install @x402/core @x402/evm @x402/fetch viem */
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const { FAREBOX_URL = 'http://127.0.0.1:8402', FAREBOX_KEY } = process.env
const wallet = privateKeyToAccount(FAREBOX_KEY as `0x${string}`)
const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))

const response = await wrapFetchWithPayment(fetch, payer)(`${FAREBOX_URL}/fx`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ from: 'USD', to: 'JPY', amount: 100 }),
})
console.log(JSON.stringify(await response.json()))

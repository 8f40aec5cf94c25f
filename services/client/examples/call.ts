/** TypeScript, with x402's own client: npm install @x402/core @x402/evm @x402/fetch viem */
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const { FAREBOX_URL = 'http://127.0.0.1:8402', FAREBOX_KEY } = process.env
const wallet = privateKeyToAccount(FAREBOX_KEY as `0x${string}`)
const payer = new x402Client()
  .register('eip155:8453', new ExactEvmScheme(wallet))
  .setSpendControls({ maxAmountPerPayment: '$0.05' }) // of USDC and the like; other tokens it does not pay

const response = await wrapFetchWithPayment(fetch, payer)(`${FAREBOX_URL}/fx`, {
  method: 'POST',
  redirect: 'error', // a payment goes to nobody else
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ from: 'USD', to: 'JPY', amount: 100 }),
})
console.log(JSON.stringify(await response.json()))

/** A refused payment names its wallet, the network, what is asked and what the wallet holds, where a node tells it. */
import { expect, it } from 'vitest'
import { payer, seek, signed } from './paying.ts'
import { openBench } from './tills.ts'

const inHeader = ({ headers }: { headers: Record<string, string> }) =>
  JSON.parse(Buffer.from(headers['PAYMENT-RESPONSE'] ?? '', 'base64').toString())
const wallet = payer.address.toLowerCase()
const short = `The wallet ${wallet} holds 0.0019 USDC on base, and the call costs 0.002`

async function refusedBy(at: 'verify' | 'settle', chain: 'truthful' | 'silent' | 'hanging', funds: bigint) {
  const bench = await openBench({ limits: { unknownMs: 200 } })
  // A facilitator that tries the transfer often cannot say what is wrong with it.
  Object.assign(bench.facilitator, { [at]: 'refused', reason: 'invalid_payload', chain, funds })
  return bench.buy(await signed(), { operation: seek }).catch(error => error)
}

it.each(['verify', 'settle'] as const)('where it is refused at /%s', async at => {
  const refused = await refusedBy(at, 'truthful', 1900n)
  expect(refused).toMatchObject({ code: 'insufficient_funds', message: short, charged: false })
  expect(inHeader(refused)).toEqual({
    ...{ success: false, transaction: '', network: 'eip155:8453', payer: wallet },
    errorReason: 'insufficient_funds',
  })
})

it('a wallet that holds enough was refused for another reason', async () => {
  const refused = await refusedBy('verify', 'truthful', 2000n)
  expect([refused.code, inHeader(refused).errorReason]).toEqual(['payment_rejected', 'payment_rejected'])
})

it.each(['silent', 'hanging'] as const)('a node that is %s holds up no refusal for long', async chain => {
  expect((await refusedBy('verify', chain, 0n)).code).toBe('payment_rejected')
})

/** Other words beside the signed part of a payment hide no charge. */
import { describe, expect, it } from 'vitest'
import { paymentKey } from '../../../services/query/mcp/payment.ts'
import { solanaPayment, solanaTransaction } from '../../attacks/solana-payment.ts'
import { header, type Signed, signed } from '../till/paying.ts'
import { openBench, options } from '../till/tills.ts'
import { connected } from './mcp/connected.ts'
import { takenLongAgo } from './taken.ts'

const mangled: [string, (payment: Signed) => object][] = [
  ['no accepted', ({ accepted: _, ...rest }) => rest],
  [
    'another token',
    payment => ({ ...payment, accepted: { ...payment.accepted, asset: `0x${'9'.repeat(40)}` } }),
  ],
  ['another chain', payment => ({ ...payment, accepted: { ...payment.accepted, network: 'eip155:137' } })],
  ['no chain at all', payment => ({ ...payment, accepted: { ...payment.accepted, network: 8453 } })],
  [
    'another family',
    payment => ({ ...payment, accepted: { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' } }),
  ],
  ['another version', payment => ({ ...payment, x402Version: 1, accepted: [] })],
]

const networks = ['base', 'polygon'] as const
const rpc = (url: string) => ({ base: [url], polygon: [url], solana: ['http://127.0.0.1:9'] })

describe.each(mangled)('A payment with %s beside it', (_, change) => {
  it('is known to have been taken, over HTTP and MCP', async () => {
    const { url, call, facilitator, pay } = await connected()
    const payment = await signed()
    expect((await pay(payment)).status).toBe(200)
    const ask = (presented: object) =>
      fetch(`${url}/echo`, {
        method: 'POST',
        body: '{"say":1}',
        headers: { 'content-type': 'application/json', 'payment-signature': header(presented) },
      })
    expect(await (await ask(change(payment))).json()).toMatchObject({ charged: true })
    const { json } = await call('echo', { say: 1 }, { [paymentKey]: change(payment) })
    expect(json).toMatchObject({ charged: true })
    const other = await signed()
    const two = await call('echo', { payment: change(payment) }, { [paymentKey]: other })
    expect(two.json).toMatchObject({ charged: true })
    const { payment: forgotten, tx } = await takenLongAgo(facilitator)
    expect(await (await ask(change(forgotten))).json()).toMatchObject({
      charged: true,
      message: expect.stringContaining(tx),
    })
  })
})

it('a nonce that is signed for two chains is two payments', async () => {
  const bench = await openBench()
  const { config } = options(bench.log, bench.facilitator.url)
  await bench.restart({ config: { ...config, rpcUrls: rpc(`${bench.facilitator.url}/chain`) } })
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(true)
  const { nonce } = payment.payload.authorization
  const [onBase, onPolygon] = await Promise.all(
    networks.map(name => signed({ nonce: nonce as string }, Date.now(), name)),
  )
  const knows = (presented: object) => bench.till.knows(bench.till.decode(header(presented)))
  expect([knows(onBase as Signed), knows(onPolygon as Signed)]).toEqual([true, false])
  expect(knows({ ...onPolygon, payload: payment.payload })).toBe(true)
})

it('a message of Solana is recognised, whatever stands beside it', async () => {
  const bench = await openBench()
  const payment = solanaPayment(solanaTransaction('a payer')) as Signed
  ;(await bench.buy(payment)).delivered(true)
  for (const [, change] of mangled)
    expect(bench.till.word(bench.till.decode(header(change(payment))))).toMatchObject({
      tx: expect.any(String),
    })
})

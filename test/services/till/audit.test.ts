/** A facilitator says that a payment is settled. The chain is asked later, and no call waits for it. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { SettlementEvent } from '../../../schemas/settlements.ts'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import type { Ledger } from '../../../services/till/ledger.ts'
import { Audit } from '../../../services/till/sale/audit.ts'
import { until } from '../../until.ts'
import { signed } from './paying.ts'
import type { Mood } from './stub-facilitator.ts'
import { openBench, receiptOf, settlementsOf } from './tills.ts'

const counted = async (metric: 'facilitatorLies' | 'facilitatorChecks', label: string) =>
  (await metrics[metric].get()).values
    .filter(({ labels }) => Object.values(labels).includes(label))
    .reduce((sum, { value }) => sum + value, 0)

async function openAudited(settle: Mood) {
  const bench = await openBench({ limits: { auditMs: 20 } })
  Object.assign(bench.facilitator, { settle, chain: 'truthful' })
  const told = async (state: SettlementEvent['state']) => {
    const find = async () => (await settlementsOf(bench.log)).find(event => event.state === state)
    await until(find, `the payment to be ${state}`)
    return find()
  }
  return { bench, told }
}

describe('a settlement by the word of the facilitator', () => {
  it('is confirmed with the place of its transfer', async () => {
    const { bench, told } = await openAudited('well')
    const tx = receiptOf(await bench.buy(await signed())).payment_tx
    expect(await told('settled')).toMatchObject({ payment_tx: tx, payment_position: null, resolved: false })
    expect(await told('confirmed')).toMatchObject({ payment_tx: tx, payment_position: 1, reason: null })
    expect((await settlementsOf(bench.log)).filter(({ state }) => state === 'intended')).toHaveLength(1)
  })

  it('is refuted, as a lie that is counted, if its transaction was invented', async () => {
    const { bench, told } = await openAudited('invented')
    const lies = await counted('facilitatorLies', 'settled')
    const payment = await signed({ validBefore: String(Math.floor(Date.now() / 1000) + 9) })
    const tx = receiptOf(await bench.buy(payment)).payment_tx
    expect(await told('refuted')).toMatchObject({ payment_tx: tx, reason: 'expired' })
    expect(await counted('facilitatorLies', 'settled')).toBe(lies + 1)
  })

  it('reports another transaction than the named one', async () => {
    const { bench, told } = await openAudited('invented')
    const lies = await counted('facilitatorLies', 'transaction')
    const payment = await signed()
    bench.facilitator.landed.push({
      ...(payment.payload.authorization as never as object),
      tx: `0x${'7'.repeat(64)}`,
    } as never)
    await bench.buy(payment)
    expect(await told('confirmed')).toMatchObject({
      payment_tx: `0x${'7'.repeat(64)}`,
      reason: 'other_transaction',
    })
    expect(await counted('facilitatorLies', 'transaction')).toBe(lies + 1)
  })

  it('waits for a silent chain', async () => {
    const { bench, told } = await openAudited('well')
    bench.facilitator.chain = 'silent'
    await bench.buy(await signed())
    await told('settled')
    bench.facilitator.chain = 'truthful'
    expect(await told('confirmed')).toBeDefined()
  })
})

describe('while the nodes of a network are silent', () => {
  afterEach(() => void vi.useRealTimers())

  it('one of its sales is asked about in five seconds, and those of other networks as before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] })
    const asked: string[] = []
    const audit = new Audit({
      ledger: {} as Ledger,
      firstMs: 5000,
      lied: () => {},
      find: async ({ network }) => {
        asked.push(network)
        return undefined
      },
    })
    const add = (network: string) =>
      audit.add({ promised: { network, trace: { network }, promised_at: '' } } as Purchase, '0x', 'one')
    for (let i = 0; i < 20; i++) add('base')
    await vi.advanceTimersByTimeAsync(5250)
    expect(asked).toEqual(['base'])
    add('solana')
    await vi.advanceTimersByTimeAsync(5250)
    expect(asked).toEqual(['base', 'base', 'solana'])
    await audit.close()
  })
})

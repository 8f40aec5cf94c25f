/** A payment that the seller refuses, uncharged: the next network is tried at once, and what a call signs stays within its caps. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { createFarebox, type FareboxOptions } from '../../../services/client/farebox.ts'
import type { Kept } from '../../../services/client/kept.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { purseInFile } from '../../../services/client/purse-file.ts'
import { spendingInFolder, spentIn } from '../../../services/client/spending.ts'
import { scratchFolder } from '../../scratch.ts'
import { evmKey, solanaKey } from '../sandbox/running.ts'
import { offer, payToSolana } from '../till/paying.ts'
import { feePayerKey } from '../till/stub-facilitator.ts'
import { answer, ask402, type HostileSeller, quoteOf, startHostileSeller } from './hostile-seller.ts'

const { base, polygon, solana } = networks
const onPolygon = { ...offer, network: polygon.caip2, asset: polygon.asset, extra: polygon.domain }
const onSolana = {
  ...{ ...offer, network: solana.caip2, asset: solana.asset, payTo: payToSolana },
  extra: { feePayer: feePayerKey, recentBlockhash: 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k' },
}
const poor = (network: string): [number, object] => [
  402,
  { error: 'insufficient_funds', charged: false, message: `The wallet holds 0 USDC on ${network}` },
]
const served: [number, object] = [200, { said: 'hello' }]

/** Answers each payment by its network. */
function sellerWho(answers: Record<string, [number, object]>, quote = quoteOf(offer, onPolygon, onSolana)) {
  const seller: Promise<HostileSeller> = startHostileSeller(async (response, { paid, nth }) => {
    if (!paid) return ask402(response, quote)
    const network = (await seller).heard[nth - 1]?.payment?.accepted.network ?? ''
    answer(response, ...(answers[network] ?? served))
  })
  return seller
}

const clientOf = (url: string, more: Partial<FareboxOptions> = {}) =>
  createFarebox({ url, wallet: { evmKey, solanaKey }, purse: purseInMemory(), patienceMs: 0, ...more })

const networksOf = (seller: HostileSeller) => seller.signatures().map(({ accepted }) => accepted.network)

describe('a payment that is refused, uncharged', () => {
  it.each<[string, [number, object]]>([
    ['for its wallet', poor('base')],
    ['by its network', [402, { error: 'payment_rejected', charged: false }]],
    ['by its facilitator', [503, { error: 'facilitator_unavailable', charged: false }]],
  ])('%s is followed at once by one on the next network', async (_, refusal) => {
    const seller = await sellerWho({ [base.caip2]: refusal, [polygon.caip2]: poor('polygon') })
    const next: string[] = []
    const onRefused = ({ code }: { code: string }, network: string) => void next.push(`${code} ${network}`)
    expect(await clientOf(seller.url, { onRefused }).call('/fx')).toMatchObject({ ok: true })
    expect(networksOf(seller)).toEqual([base.caip2, polygon.caip2, solana.caip2])
    expect(next).toHaveLength(2)
    expect(next[1]).toBe('insufficient_funds solana')
  })

  it('on all networks ends in what was said of each', async () => {
    const seller = await sellerWho(
      { [base.caip2]: poor('base'), [solana.caip2]: poor('solana') },
      quoteOf(offer, onSolana),
    )
    const result = await clientOf(seller.url).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { code: 'insufficient_funds', charged: false } })
    expect(result.ok || result.error.message).toMatch(/base: .*on base; solana: .*on solana/)
  })

  it.each<[string, [number, object]]>([
    ['whose end is unknown', [503, { error: 'payment_unknown', charged: null }]],
    ['of which nothing is said', [402, { error: 'insufficient_funds' }]],
    ['that is called uncharged in no word of JSON', [402, { error: 'insufficient_funds', charged: 'false' }]],
    ['that was taken', [409, { error: 'payment_already_used', charged: true }]],
    ['whose question was refused', [422, { error: 'no_rate', charged: false }]],
    ['whose seller asks as if there were none', [402, { error: 'payment_required', charged: false }]],
    ['whose seller is broken', [500, { error: 'internal_error', charged: false }]],
  ])('a payment %s is followed by none', async (_, told) => {
    const seller = await sellerWho({ [base.caip2]: told })
    expect(await clientOf(seller.url).call('/fx')).toMatchObject({ ok: false })
    expect(networksOf(seller)).toEqual([base.caip2])
  })

  it('nor is one on the network that alone is wanted, or that alone the wallet has a key for', async () => {
    for (const more of [{ network: 'solana' }, { wallet: { solanaKey } }]) {
      const seller = await sellerWho({ [solana.caip2]: poor('solana') })
      expect(await clientOf(seller.url, more).call('/fx')).toMatchObject({
        error: { code: 'insufficient_funds', message: 'The wallet holds 0 USDC on solana' },
      })
      expect(networksOf(seller)).toEqual([solana.caip2])
    }
  })
})

describe('what one call signs', () => {
  it('is its price: the second payment must fit below the cap of a call beside the first', async () => {
    for (const [maxUsdPerCall, signed] of [
      ['0.002', 1],
      ['0.0039', 1],
      ['0.004', 2],
      ['0.006', 3],
    ] as const) {
      const seller = await sellerWho(
        Object.fromEntries([base, polygon, solana].map(({ caip2 }) => [caip2, poor('x')])),
      )
      const result = await clientOf(seller.url, { maxUsdPerCall }).call('/fx')
      expect(networksOf(seller)).toHaveLength(signed)
      expect(result).toMatchObject({ error: { code: 'insufficient_funds', charged: false } })
      if (signed < 3)
        expect(result.ok || result.error.message).toMatch(
          /it costs 0.002 USDC, 0.00\d were signed before in this call, and maxUsdPerCall is/,
        )
    }
  })

  it('keeps the caps of a policy, too, and counts in the day whatever the seller says', async () => {
    const all = Object.fromEntries([base, polygon, solana].map(({ caip2 }) => [caip2, poor('x')]))
    const [seller, folder] = [await sellerWho(all), scratchFolder()]
    const policy = { operations: { '/fx': { max_usd_per_call: '0.004' } } }
    const more = {
      policy,
      purse: purseInFile(folder),
      onSigned: spendingInFolder(folder),
      maxUsdPerDay: '0.009',
    }
    for (const signed of [2, 4, 4]) {
      await clientOf(seller.url, more).call('/fx')
      expect(seller.signatures()).toHaveLength(signed)
    }
    expect(spentIn(folder)).toHaveLength(4)
  })

  it('has one Idempotency-Key: a seller who took the first payment after all sells no second time', async () => {
    const keys = new Set<string>()
    const seller = await sellerWho({ [base.caip2]: poor('base') })
    const listening: typeof fetch = (address, request) => {
      keys.add(new Headers(request?.headers).get('idempotency-key') ?? '')
      return fetch(address, request)
    }
    expect(await clientOf(seller.url, { fetch: listening }).call('/fx')).toMatchObject({ ok: true })
    expect(keys.size).toBe(1)
  })
})

describe('payments that are kept', () => {
  const namesIn = (folder: string) => readdirSync(folder)
  const losing: typeof fetch = async (address, request) => {
    const response = await fetch(address, request)
    if (!response.ok) return response
    throw new Error('the connection is lost')
  }

  it('the one whose end is unknown is presented first, and no third is signed', async () => {
    const seller = await sellerWho({ [base.caip2]: poor('base') }, quoteOf(offer, onSolana))
    const keep = join(scratchFolder(), 'payments')
    expect(await clientOf(seller.url, { keep, fetch: losing }).call('/fx')).toMatchObject({
      error: { charged: null, payment: expect.any(String) },
    })
    expect(namesIn(keep)).toHaveLength(2)
    const takenUp: Kept[] = []
    const again = clientOf(seller.url, { keep, onTakenUp: kept => takenUp.push(kept) })
    expect(await again.call('/fx')).toMatchObject({ ok: true })
    expect(takenUp).toMatchObject([{ network: solana.caip2 }])
    expect(seller.signatures()).toHaveLength(2)
    expect(namesIn(keep)).toEqual([])
  })

  it('one that was refused is presented again, and then the next network pays', async () => {
    const seller = await sellerWho({ [base.caip2]: poor('base') }, quoteOf(offer, onSolana))
    const keep = join(scratchFolder(), 'payments')
    expect(await clientOf(seller.url, { keep, wallet: { evmKey } }).call('/fx')).toMatchObject({ ok: false })
    expect(await clientOf(seller.url, { keep }).call('/fx')).toMatchObject({ ok: true })
    expect(seller.heard.map(({ payment }) => payment?.accepted.network)).toEqual(
      [undefined, base, base, undefined, solana].map(network => network?.caip2),
    )
    expect(namesIn(keep)).toEqual([])
  })

  it('eight calls of one question at once share both payments', async () => {
    const seller = await sellerWho({ [base.caip2]: poor('base') }, quoteOf(offer, onSolana))
    const keep = join(scratchFolder(), 'payments')
    const lost = await Promise.all(
      Array.from({ length: 8 }, () => clientOf(seller.url, { keep, fetch: losing }).call('/fx')),
    )
    expect(lost.map(result => !result.ok && result.error.charged)).toEqual(Array(8).fill(null))
    expect(networksOf(seller).sort()).toEqual([base.caip2, solana.caip2])
  })
})

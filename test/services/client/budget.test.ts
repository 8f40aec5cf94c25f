/** The amounts that count against the caps. */
import { describe, expect, it } from 'vitest'
import { createFarebox } from '../../../services/client/farebox.ts'
import { type Purse, purseInMemory } from '../../../services/client/purse.ts'
import { evmKey } from '../sandbox/running.ts'
import { answer, ask402, offering, selling, startHostileSeller } from './hostile-seller.ts'

const clientOf = (url: string, more: object = {}) =>
  createFarebox({ url, wallet: { evmKey }, purse: purseInMemory(), patienceMs: 0, ...more })

describe('the cap of a day', () => {
  it.each([
    ['an error that calls itself free', 500, { error: 'broken', charged: false }],
    ['a refusal', 422, { error: 'no_rate', charged: false }],
    ['another 402', 402, { error: 'invalid_payment', charged: false }],
    ['nothing of money', 500, {}],
  ])(
    'counts every signed amount, though the seller answers with %s: a signature is enough to take the money',
    async (...told) => {
      const [, status, body] = told
      const seller = await startHostileSeller((response, { paid }) =>
        paid ? answer(response, status, body) : ask402(response, offering()),
      )
      const farebox = clientOf(seller.url, { maxUsdPerDay: 0.005 })
      const codes = []
      for (let i = 0; i < 4; i++) {
        const result = await farebox.call('/fx')
        codes.push(result.ok ? 'ok' : result.error.code)
      }
      expect(codes.slice(2)).toEqual(['over_budget', 'over_budget'])
      expect(seller.signatures()).toHaveLength(2)
    },
  )

  it('counts an answer that calls itself replayed after it took a payment', async () => {
    const seller = await startHostileSeller((response, { paid }) => {
      if (!paid) return ask402(response, offering())
      response.setHeader('idempotent-replayed', 'true')
      answer(response, 200, {})
    })
    const farebox = clientOf(seller.url, { maxUsdPerDay: 0.003 })
    expect(await farebox.call('/fx')).toMatchObject({ ok: true })
    expect(await farebox.call('/fx')).toMatchObject({ error: { code: 'over_budget' } })
  })

  it('counts nothing that was never signed', async () => {
    const quote = offering({ payTo: 'me' })
    const farebox = clientOf((await startHostileSeller(selling(quote))).url, { maxUsdPerDay: 0.002 })
    for (let i = 0; i < 3; i++)
      expect(await farebox.call('/fx')).toMatchObject({ error: { code: 'cannot_pay' } })
  })

  it('holds for calls at once', async () => {
    const seller = await startHostileSeller(selling(offering()))
    const farebox = clientOf(seller.url, { maxUsdPerDay: 0.007 })
    const results = await Promise.all(Array.from({ length: 12 }, () => farebox.call('/fx')))
    expect(results.filter(({ ok }) => ok)).toHaveLength(3)
    expect(seller.signatures()).toHaveLength(3)
  })
})

describe('the cap of a call', () => {
  it('refuses a dearer call, in whatever size', async () => {
    for (const amount of ['1000001', '9'.repeat(60)]) {
      const seller = await startHostileSeller(selling(offering({ amount })))
      expect(await clientOf(seller.url).call('/fx')).toMatchObject({
        error: { code: 'over_budget', charged: false },
      })
      expect(seller.signatures()).toEqual([])
    }
  })
})

it('a purse that breaks spends nothing', async () => {
  const broken: Purse = { take: () => Promise.reject(new Error('the purse is torn')), giveBack() {} }
  const seller = await startHostileSeller(selling(offering()))
  await expect(clientOf(seller.url, { purse: broken }).call('/fx')).rejects.toThrow('the purse is torn')
  expect(seller.signatures()).toEqual([])
})

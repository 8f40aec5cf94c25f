/** Finds what a payment spends, whatever stands beside it, for little work. */
import { expect, it } from 'vitest'
import { isEvm, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { openSchemes } from '../../../services/till/schemes/open-schemes.ts'
import { Spends } from '../../../services/till/spends.ts'
import { signed } from './paying.ts'

const silent = Object.fromEntries(networkNames.map(name => [name, ['http://127.0.0.1:9']]))
const open = () => {
  const schemes = openSchemes(silent, Date.now)
  let asked = 0
  const counted = [...schemes].map(([name, scheme]) => {
    const spendOf: typeof scheme.spendOf = payload => {
      asked++
      return scheme.spendOf(payload)
    }
    return [name, { ...scheme, spendOf }] as const
  })
  return { schemes, spends: new Spends(new Map(counted)), asked: () => asked }
}

it('works out the ids of a payment once, however often a call asks for them', async () => {
  const { spends, asked } = open()
  const presented = { json: { ...(await signed()) } as Record<string, unknown> }
  for (let time = 0; time < 5; time++) expect(spends.known(presented, () => false)).toBeUndefined()
  expect(asked()).toBe(networkNames.length)
})

it('works out none of what is too long to have been taken, and one of other letters', async () => {
  const { schemes } = open()
  const evm = schemes.get(networks.base.caip2)
  const svm = schemes.get(networks.solana.caip2)
  const [from, nonce] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(32)}`]
  const idOf = (authorization: object) => evm?.spendOf({ authorization })
  expect(idOf({ from: from.toUpperCase(), nonce })).toBe(idOf({ from, nonce }))
  expect(idOf({ from: from.repeat(1000), nonce })).toBeUndefined()
  expect(idOf({ from, nonce: nonce.repeat(1000) })).toBeUndefined()
  expect(svm?.spendOf({ transaction: 'A'.repeat(100_000) })).toBeUndefined()
})

it('a payment that its payer has signed for one chain is not what the same nonce bought on another', async () => {
  const { schemes, spends } = open()
  const idOn = (name: 'base' | 'polygon', payload: object) =>
    schemes.get(networks[name].caip2)?.spendOf(payload as Record<string, unknown>)
  const onBase = await signed()
  const { payload } = onBase
  const presented = (more: object) => ({ json: { ...onBase, ...more } as Record<string, unknown> })
  const isKnown = (id: string) => id === idOn('polygon', payload)
  expect(spends.known(presented({}), isKnown)).toBeUndefined()
  expect(spends.known(presented({}), id => id === idOn('base', payload))).toBe(idOn('base', payload))
  // Words beside the payment, or none, hide no purchase.
  const unsigned = { ...payload, signature: `0x${'11'.repeat(64)}1b` }
  expect(spends.known(presented({ payload: unsigned }), isKnown)).toBe(idOn('polygon', payload))
  expect(spends.known(presented({ accepted: undefined }), isKnown)).toBe(idOn('polygon', payload))
})

it('an unknown payment may be for each chain whose form it has, and the named one comes first', async () => {
  const { schemes, spends } = open()
  const onPolygon = await signed({}, Date.now(), 'polygon')
  const evm = networkNames.filter(isEvm).map(name => networks[name].caip2)
  const named = networks.polygon.caip2
  const pasts = spends.pasts({ json: { ...onPolygon } as Record<string, unknown> })
  expect(pasts.map(({ past }) => past.trace.network)).toEqual([named, ...evm.filter(each => each !== named)])
  for (const { spendId, scheme, past } of pasts) {
    expect(scheme).toMatchObject({ network: schemes.get(past.trace.network)?.network })
    expect(spendId).toBe(schemes.get(past.trace.network)?.spendOf(onPolygon.payload))
  }
})

it.each([undefined, null, 'text', 7, [], {}])('the payload %j is no payment on any chain', payload => {
  const { spends } = open()
  const presented = { json: { x402Version: 2, payload } }
  expect(spends.pasts(presented)).toEqual([])
  expect(spends.known(presented, () => true)).toBe(undefined)
})

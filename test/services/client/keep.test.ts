/** When a kept payment is presented again, when another is signed, and when its record goes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFarebox, type FareboxOptions } from '../../../services/client/farebox.ts'
import { keepInFolder } from '../../../services/client/keep-folder.ts'
import { endingOf, type Kept, nameOf } from '../../../services/client/kept.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { scratchFolder } from '../../scratch.ts'
import { openSelling } from '../query/selling.ts'
import { evmKey } from '../sandbox/running.ts'
import { answer, ask402, offering, startHostileSeller } from './hostile-seller.ts'

const dayMs = 86_400_000
const kept: Kept = {
  ...{ url: 'http://a.example', path: '/fx', question: {}, key: 'k', payment: 'p' },
  ...{ network: 'eip155:8453', amount: '2000', signedAt: instant(-1), deadAt: instant(60_000) },
}
const nth = (n: number) => n.toString(16).padStart(64, '0')

function instant(inMs: number): string {
  return new Date(Date.now() + inMs).toISOString()
}

const buyer = (url: string, more: Partial<FareboxOptions>) =>
  createFarebox({ url, wallet: { evmKey }, purse: purseInMemory(), patienceMs: 0, ...more })

/** Changes the one record of a folder. */
function amend(folder: string, change: Partial<Kept>): void {
  const [name = ''] = readdirSync(folder)
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as Kept), ...change }))
}

it('gives the answer that was lost, in a client that knows nothing of the first', async () => {
  const selling = await openSelling()
  const folder = scratchFolder()
  const losing: typeof fetch = async (address, request) => {
    const response = await fetch(address, request)
    if (!new Headers(request?.headers).has('payment-signature')) return response
    await response.arrayBuffer()
    throw new Error('the connection is lost')
  }
  const lost = await buyer(selling.url, { keep: folder, fetch: losing }).call('/echo', { say: 'x' })
  expect(lost).toMatchObject({ ok: false, error: { charged: null } })
  const takenUp: Kept[] = []
  const next = buyer(selling.url, { keep: folder, wallet: {}, onTakenUp: each => takenUp.push(each) })
  expect(await next.call('/echo', { say: 'x' })).toMatchObject({ ok: true, replayed: true })
  expect(takenUp).toMatchObject([{ path: '/echo', network: 'eip155:8453' }])
  expect(selling.facilitator.calls.settle).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

describe('a payment that was refused, uncharged', () => {
  it('is presented again while it lives, and followed by another when it is dead', async () => {
    let refuses = true
    const seller = await startHostileSeller((response, { paid }) => {
      if (!paid) ask402(response, offering())
      else if (refuses) answer(response, 502, { error: 'upstream_failed', charged: false })
      else answer(response, 200, { said: 'hello' })
    })
    const folder = scratchFolder()
    const call = () => buyer(seller.url, { keep: folder }).call('/fx')
    for (const _ of [1, 2]) expect(await call()).toMatchObject({ error: { charged: false } })
    expect(seller.signatures()).toHaveLength(1)
    amend(folder, { deadAt: instant(-61_000) })
    refuses = false
    expect(await call()).toMatchObject({ ok: true })
    expect(seller.signatures()).toHaveLength(2)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is followed at once by another where its end was not known before', async () => {
    const answers: object[] = [{ charged: null }, { charged: false }]
    const seller = await startHostileSeller((response, { paid }) => {
      const body = paid && answers.shift()
      if (!paid) ask402(response, offering())
      else if (body) answer(response, 409, { error: 'payment_expired', ...body })
      else answer(response, 200, { said: 'hello' })
    })
    const folder = scratchFolder()
    const replaced: Kept[] = []
    const call = () =>
      buyer(seller.url, { keep: folder, onReplaced: each => replaced.push(each) }).call('/fx')
    expect(await call()).toMatchObject({ error: { charged: null } })
    amend(folder, { deadAt: instant(-61_000) })
    expect(await call()).toMatchObject({ ok: true })
    expect(replaced).toHaveLength(1)
    expect(seller.signatures()).toHaveLength(2)
  })
})

it('an answer that is gone is told once, and its record goes', async () => {
  const seller = await startHostileSeller((response, { paid }) =>
    paid
      ? answer(response, 409, { error: 'payment_already_used', charged: true })
      : ask402(response, offering()),
  )
  const folder = scratchFolder()
  expect(await buyer(seller.url, { keep: folder }).call('/fx')).toMatchObject({ error: { answer: 'gone' } })
  expect(readdirSync(folder)).toEqual([])
})

it('a seller cannot have a payment kept for ever', () => {
  const old = { ...kept, signedAt: instant(-9 * dayMs), deadAt: instant(-8 * dayMs) }
  const said = { code: 'payment_already_used', charged: true, keptUntil: '9999-01-01T00:00:00Z' }
  expect(endingOf({ ...old, said })).toBe('gone')
})

describe('the folder', () => {
  it('holds so many, so large, and tells once of what is too old', () => {
    const told: Kept[] = []
    const folder = scratchFolder()
    const keep = keepInFolder(folder, each => told.push(each))
    expect([keep.put(nth(0), kept, true), keep.put(nth(0), kept, true)]).toEqual([true, false])
    for (let n = 1; n < 150; n++) expect(keep.put(nth(n), kept, true)).toBe(true)
    expect(() => keep.put(nth(150), kept, true)).toThrow(/150 payments to http:\/\/a.example are open/)
    const other = { ...kept, url: 'http://b.example' }
    for (let n = 150; n < 200; n++) expect(keep.put(nth(n), other, true)).toBe(true)
    expect(() => keep.put(nth(200), other, true)).toThrow(/200 payments are open/)
    const [old, dead] = [{ signedAt: instant(-9 * dayMs), deadAt: instant(-8 * dayMs) }, instant(-61_000)]
    keep.put(nth(1), { ...kept, ...old }, false)
    keep.put(nth(2), { ...kept, deadAt: dead, said: { code: 'x', charged: false } }, false)
    keep.put(nth(3), { ...kept, deadAt: dead, said: { code: 'x', charged: true, keptUntil: dead } }, false)
    expect(keep.put(nth(200), other, true)).toBe(true)
    expect(told).toHaveLength(2)
    expect(keep.list()).toHaveLength(198)
    expect(() => keep.put(nth(1), { ...kept, question: { text: 'x'.repeat(300_000) } }, true)).toThrow(
      /256 KB/,
    )
    expect(readdirSync(folder).filter(name => !name.endsWith('.json'))).toEqual([])
  })

  it('stops at a record that it cannot read, and repeats nothing of it', () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, `${nth(1)}.json`), '{"payment":"bearer')
    const keep = keepInFolder(folder)
    expect(() => keep.get(nth(1))).toThrow(/cannot be read/)
    expect(() => keep.get(nth(1))).not.toThrow(/bearer/)
  })
})

it('names the same question the same, and another one otherwise', () => {
  const name = nameOf('http://a', '/fx', { a: 1, b: { c: 2, d: [1, 2] } })
  expect(nameOf('http://a', '/fx', { b: { d: [1, 2], c: 2 }, a: 1 })).toBe(name)
  expect(nameOf('http://a', '/fx', { a: 1, b: { c: 2, d: [2, 1] } })).not.toBe(name)
  expect(nameOf('http://b', '/fx', { a: 1, b: { c: 2, d: [1, 2] } })).not.toBe(name)
})

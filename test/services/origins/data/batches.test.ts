import { beforeAll, describe, expect, test } from 'vitest'
import { geocodeLookup } from '../../../../pipelines/lookups/geocode.ts'
import type { IpPlace } from '../../../../pipelines/lookups/ip/place.ts'
import { ipLookup } from '../../../../pipelines/lookups/ip.ts'
import { NotReady, UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { geocodes } from '../../../../schemas/geocodes.ts'
import { jsonOf, Serialised } from '../../../../services/offer/answer.ts'
import { batchOf } from '../../../../services/offer/batch.ts'
import type { Failure, Refused } from '../../../../services/offer/errors.ts'
import { type Operation, refuseFor, type Tools } from '../../../../services/offer/operation.ts'
import { fx } from '../../../../services/origins/data/fx/fx.ts'
import { fxBatch } from '../../../../services/origins/data/fx/fx-batch.ts'
import { geocodeBatch } from '../../../../services/origins/data/geocode/geocode-batch.ts'
import { ipBatch } from '../../../../services/origins/data/ip/ip-batch.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { reply, startCensus } from '../../../pipelines/lookups/census-upstream.ts'
import { hurried, openFinding } from '../../../pipelines/lookups/finding.ts'
import { poll, startEcb } from '../../../pipelines/sources/ecb-upstream.ts'
import { type Asking, ask, stock } from '../ask.ts'

const evening = '2026-04-13T16:30:00Z'
const now = () => Date.parse(evening)
let days: FxDay[]
beforeAll(async () => {
  const upstream = await startEcb()
  days = (await poll(upstream, evening)).days
  await upstream.close()
})
const rates = (): Asking => {
  const shelf = new Shelf(now)
  stock(shelf, fxRates, days)
  return { shelf, now }
}
interface Located {
  best: { street: string }
}
interface Batch {
  results: { answer: Record<string, unknown> | null; error?: string; message?: string }[]
  answered: number
  refused: number
}
const askBatch = (batch: Operation, items: unknown, asking: Asking) =>
  ask(batch, { items }, asking) as Promise<Batch>
const failed = (asked: Promise<unknown>): Promise<Failure | Refused> =>
  asked.then(
    answer => expect.unreachable(`answered ${JSON.stringify(answer)}`),
    error => error,
  )
const found: IpPlace = {
  country: { code: 'US', name: 'United States' },
  region: null,
  city: null,
  continent: null,
  latitude: null,
  longitude: null,
  timeZone: null,
  database: 'a database',
}
const places = (find: (text: string) => Promise<IpPlace | undefined>): Asking => ({
  shelf: new Shelf(now),
  now,
  find: ((lookup, { text }: { text: string }) =>
    lookup === (ipLookup as unknown) ? find(text) : Promise.resolve(undefined)) as Tools['find'],
})

describe('a batch', () => {
  test('answers each question as it is answered alone, in order, refusals among them', async () => {
    const [pair, gone, digits] = [
      { from: 'USD', to: 'JPY', amount: 100 },
      { from: 'USD', to: 'BGN' },
      { from: 'EUR', to: 'HUF' },
    ]
    const { results, answered, refused } = await askBatch(fxBatch, [pair, gone, digits, pair], rates())
    expect(results.map(({ error }) => error)).toEqual([
      undefined,
      'unsupported_currency',
      undefined,
      undefined,
    ])
    expect(results[1]).toMatchObject({ answer: null, message: expect.stringContaining('Bulgaria uses EUR') })
    for (const [place, question] of [pair, gone, digits, pair].entries())
      if (question !== gone) expect(results[place]?.answer).toEqual(await ask(fx, question, rates()))
    expect([answered, refused]).toEqual([3, 1])
  })

  test('keeps the digits of answers that are written already', async () => {
    const written = '{"rate":1.10,"atoms":12345678901234567890}'
    const batch = batchOf(
      { ...fx, answer: async () => Serialised.written(written) },
      { id: 'echoes', path: '/echo/batch', price: '0.01', title: 'Echoes', about: 'Echoes.' },
    )
    const question = batch.request.parse({ items: [{ from: 'USD', to: 'JPY' }] })
    const answer = await batch.answer(question, {} as Tools, refuseFor(batch))
    expect(jsonOf(answer)).toContain(written)
  })

  test('refuses what is more than an answer may hold, and is free where that is the most of it', async () => {
    const large = Serialised.written(JSON.stringify('a'.repeat(3 << 20)))
    const batch = batchOf(
      { ...fx, answer: async () => large },
      { id: 'echoes', path: '/echo/batch', price: '0.01', title: 'Echoes', about: 'Echoes.' },
    )
    const askFor = (items: number) =>
      batch.answer(
        batch.request.parse({ items: Array(items).fill({ from: 'USD', to: 'JPY' }) }),
        {} as Tools,
        refuseFor(batch),
      )
    const { results, answered } = JSON.parse(jsonOf(await askFor(4)))
    expect([answered, results.map(({ error = '' }) => error)]).toEqual([
      2,
      ['', '', 'too_large', 'too_large'],
    ])
    // All five were asked for nothing, and count.
    await expect(askFor(5)).rejects.toMatchObject({
      message: expect.stringContaining('3 of the 5 questions failed here'),
      asks: 5,
    })
  })

  test('holds a hundred questions, and asks for few of them at once', async () => {
    let [inside, most] = [0, 0]
    const asking = places(async () => {
      most = Math.max(most, ++inside)
      await new Promise(resolve => setImmediate(resolve))
      inside--
      return found
    })
    const items = Array.from({ length: 100 }, (_, i) => ({ ip: `8.8.8.${i}` }))
    const { results, answered } = await askBatch(ipBatch, items, asking)
    expect(results.map(({ answer }) => answer?.ip)).toEqual(items.map(({ ip }) => ip))
    expect(answered).toBe(100)
    expect(most).toBeLessThanOrEqual(8)
  })

  test('with an invalid question is 400, and the question is named', async () => {
    for (const [items, named] of [
      [[{ ip: '8.8.8.8' }, { ip: 8 }], /items\.1\.ip/],
      [[{ ip: '8.8.8.8', more: 1 }], /more/],
      [[], /at least one/],
      [Array.from({ length: 101 }, () => ({ ip: '8.8.8.8' })), /at most 100/],
      ['8.8.8.8', /items/],
    ] as const) {
      const failure = await failed(
        askBatch(
          ipBatch,
          items,
          places(async () => found),
        ),
      )
      expect([failure.code, failure.message]).toEqual(['invalid_request', expect.stringMatching(named)])
    }
  })

  test('an upstream that fails for some questions leaves the others answered', async () => {
    const asking = places(async text => {
      if (text === '8.8.4.4') throw new UpstreamFailed('it is away')
      if (text === '8.8.4.5') throw new NotReady('the database is not there yet')
      return found
    })
    const items = ['8.8.8.8', '8.8.4.4', '8.8.4.5', '10.0.0.1', 'x'].map(ip => ({ ip }))
    const { results, answered, refused } = await askBatch(ipBatch, items, asking)
    expect(results.map(({ error }) => error ?? 'answered')).toEqual([
      'answered',
      'upstream_failed',
      'not_ready',
      'reserved_address',
      'invalid_ip',
    ])
    expect([answered, refused]).toEqual([1, 4])
  })

  test('our own fault is no refusal', async () => {
    const asking = places(async () => {
      throw new TypeError('a mistake')
    })
    expect(await failed(askBatch(ipBatch, [{ ip: '8.8.8.8' }], asking))).toBeInstanceOf(TypeError)
  })
})

describe('is free', () => {
  test('nothing_answered: every question is refused', async () => {
    for (const [batch, items] of [
      [ipBatch, [{ ip: '10.0.0.1' }, { ip: 'x' }]],
      [fxBatch, [{ from: 'USD', to: 'XAU' }]],
    ] as const) {
      const failure = await failed(askBatch(batch, items, rates()))
      expect([failure.code, failure.status]).toEqual(['nothing_answered', 422])
      expect(failure.message).toMatch(/^(None of the 2 questions has an|The one question has no) answer: \w+/)
    }
  })

  test('502 if an upstream fails for all, 503 if nothing is loaded', async () => {
    const [away, empty] = [new UpstreamFailed('away'), new NotReady('nothing there')]
    for (const [error, status] of [
      [away, 502],
      [empty, 503],
    ] as const) {
      const asking = places(() => Promise.reject(error))
      expect((await failed(askBatch(ipBatch, [{ ip: '8.8.8.8' }, { ip: '8.8.4.4' }], asking))).status).toBe(
        status,
      )
    }
  })
})

test('a batch is free if more than half of it fails for reasons of ours', async () => {
  const asking = places(async text => {
    if (text.startsWith('9.')) throw new UpstreamFailed('it is away')
    return found
  })
  const ips = (...items: string[]) => items.map(ip => ({ ip }))
  expect(await failed(askBatch(ipBatch, ips('8.8.8.8', '9.9.9.9', '9.9.9.8'), asking))).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringMatching(/^2 of the 3 questions failed here/),
  })
  expect(await askBatch(ipBatch, ips('8.8.8.8', '9.9.9.9'), asking)).toMatchObject({ answered: 1 })
  expect(await askBatch(ipBatch, ips('8.8.8.8', 'x', 'y'), asking)).toMatchObject({ answered: 1, refused: 2 })
})

test('/geocode/batch asks the geocoder for each address once, and nothing_answered is free', async () => {
  const census = await startCensus(address =>
    reply(address.startsWith('5 ') ? [{ matchedAddress: '5 MAIN ST, LEE, MA, 01238' }] : [], address),
  )
  const { finder } = await openFinding([geocodeLookup], {
    at: { CENSUS_URL: census.url },
    datasets: [geocodes],
    now,
    waiting: hurried(now),
  })
  const asking = { shelf: new Shelf(now), now, find: finder.find }
  const items = ['5 Main St, Lee, MA', '5 MAIN ST LEE MA', '9 Nowhere Rd, Lee, MA'].map(address => ({
    address,
  }))
  const { results } = await askBatch(geocodeBatch, items, asking)
  expect(results.map(({ answer, error }) => error ?? (answer as Located | null)?.best.street)).toEqual([
    '5 MAIN ST',
    '5 MAIN ST',
    'no_match',
  ])
  expect(census.addresses().filter(address => address.startsWith('5 '))).toHaveLength(1)
  expect(await failed(askBatch(geocodeBatch, items.slice(2), asking))).toMatchObject({
    code: 'nothing_answered',
  })
})

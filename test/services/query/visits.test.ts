/** Requests that are no calls have limits, too, and these limits are separate. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFree, type FreeRoute } from '../../../services/offer/operation.ts'
import { probesAMinute, visitsAMinute } from '../../../services/query/visits.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'
import { openSelling, type Selling } from './selling.ts'

const text = { type: 'text/plain', body: 'hello' }
const pages = [
  { path: '/page', answer: () => text },
  { path: '/probe', isProbe: true as const, answer: () => text },
]
const hello = defineFree({
  id: 'hello',
  method: 'GET',
  path: '/hello',
  perMinute: 2,
  title: 'Hello',
  about: 'Says hello.',
  tags: [],
  request: z.strictObject({}),
  response: z.strictObject({ said: z.string() }),
  refusals: {},
  example: { request: {}, response: { said: 'hello' } },
  answer: () => ({ said: 'hello' }),
}) as unknown as FreeRoute

const open = () => openSelling({ origins: [originOf([echo], { free: [hello] })], pages, trustProxy: true })

/** Sends this many requests from one address, and counts the refused ones. */
async function flood(
  { app }: Selling,
  times: number,
  method: 'GET' | 'POST' | 'OPTIONS',
  url: string,
  from = '203.0.113.7',
) {
  let turnedAway = 0
  for (let i = 0; i < times; i++) {
    const { statusCode } = await app.inject({ method, url, headers: { 'x-forwarded-for': from } })
    if (statusCode === 429) turnedAway++
  }
  return turnedAway
}

describe('a visitor', () => {
  it.each([
    ['a page', 'GET', '/page'],
    ['a path that is not there', 'GET', '/nothing'],
    ['a wrong method', 'GET', '/echo'],
    ['OPTIONS', 'OPTIONS', '/echo'],
  ] as const)('has a limit at %s', async (_, method, url) => {
    const selling = await open()
    expect(await flood(selling, visitsAMinute, method, url)).toBe(0)
    // The bucket fills up while the flood empties it.
    expect(await flood(selling, 600, method, url)).toBeGreaterThan(0)
    expect(await flood(selling, 1, method, url, '203.0.113.8')).toBe(0)
    for (const [other, path] of [
      ['GET', '/probe'],
      ['POST', '/echo'],
      ['GET', '/hello'],
    ] as const)
      expect([path, await flood(selling, 1, other, path)]).toEqual([path, 0])
  })

  it('of health and metrics has a limit of his own, which pages do not touch', async () => {
    const selling = await open()
    expect(await flood(selling, probesAMinute, 'GET', '/probe')).toBe(0)
    expect(await flood(selling, 1500, 'GET', '/probe')).toBeGreaterThan(0)
    expect(await flood(selling, 1, 'GET', '/page')).toBe(0)
  })

  it('learns the limit', async () => {
    const { ask } = await open()
    const { headers } = await ask({ path: '/page', method: 'GET' })
    expect(headers.get('ratelimit-policy')).toBe(`"requests";q=${visitsAMinute};w=60`)
    expect(headers.get('ratelimit')).toMatch(/^"requests";r=1199;t=\d+$/)
  })

  it('of a free route has its own rate, beside that of calls', async () => {
    const selling = await open()
    expect(await flood(selling, 3, 'GET', '/hello')).toBe(1)
    expect(await flood(selling, 3, 'POST', '/echo')).toBe(0)
  })
})

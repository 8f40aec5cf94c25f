import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../services/offer/errors.ts'
import { Buckets, mostBuckets } from '../../../services/query/buckets.ts'
import { Callers, callerOf } from '../../../services/query/callers.ts'

const refused = (ask: () => void): Failure | undefined => {
  try {
    ask()
  } catch (error) {
    return error as Failure
  }
  return undefined
}

describe('a caller', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['203.0.113.7:41234', '203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['[fe80::1%eth0]:80', 'fe80::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
    ['_hidden:80', 'unknown'],
    ['203.0.113.7'.repeat(2000), 'unknown'],
  ])('that comes from %.40s is %s', (ip, caller) => {
    expect(callerOf({ ip })).toBe(caller)
  })

  it('is named in one place: no other code reads where a request comes from', () => {
    const folder = new URL('../../../services/', import.meta.url)
    const readers = globSync('**/*.ts', { cwd: fileURLToPath(folder) }).filter(file =>
      /\brequest\.(ip|ips)\b|\bremoteAddress\b|x-forwarded-for/i.test(
        readFileSync(new URL(file, folder), 'utf8'),
      ),
    )
    expect(readers).toEqual(['query/callers.ts'])
  })
})

describe('the rate of a caller', () => {
  it('is the declared one, and refills over the minute', () => {
    let now = 0
    const callers = Callers.open(60, () => now)
    for (let i = 0; i < 60; i++) callers.admit('a')
    const failure = refused(() => callers.admit('a'))
    expect(failure).toMatchObject({ status: 429, code: 'too_many_requests', headers: { 'retry-after': '1' } })
    now = 1000
    callers.admit('a')
    expect(refused(() => callers.admit('a'))?.status).toBe(429)
  })

  it('does not shut anybody out when the clock is turned back', () => {
    let now = 10_000_000
    const callers = Callers.open(60, () => now)
    callers.admit('a')
    now -= 3_600_000
    callers.admit('a')
    callers.admit('b')
    for (let i = 0; i < 58; i++) callers.admit('a')
    expect(refused(() => callers.admit('a'))?.status).toBe(429)
    now += 1000
    callers.admit('a')
  })

  it('is each caller’s own', () => {
    const callers = Callers.open(1, () => 0)
    callers.admit('a')
    callers.admit('b')
    expect(refused(() => callers.admit('a'))).toBeDefined()
  })

  it('remembers a bounded number of callers', () => {
    const buckets = new Buckets(() => 0)
    for (let i = 0; i < 5 * mostBuckets; i++) buckets.draw(`caller ${i}`, 1)
    expect(buckets.size).toBeLessThanOrEqual(2 * mostBuckets)
    expect(buckets.draw(`caller ${5 * mostBuckets - 1}`, 1).left).toBeUndefined()
  })

  it('is forgotten only after as many callers as nobody needs who has them', () => {
    const callers = Callers.open(600, () => 0)
    for (let i = 0; i < 600; i++) callers.admit('a')
    for (let i = 1; i < mostBuckets; i++) callers.admit(`another ${i}`)
    expect(refused(() => callers.admit('a'))).toBeDefined()
  })
})

import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../services/errors.ts'
import { Callers } from '../../../services/query/callers.ts'

const refused = (ask: () => void): Failure | undefined => {
  try {
    ask()
  } catch (error) {
    return error as Failure
  }
  return undefined
}

describe('the rate of a caller', () => {
  it('is what it says, and refills over the minute', () => {
    let now = 0
    const callers = new Callers(60, () => now)
    for (let i = 0; i < 60; i++) callers.admit('a')
    const failure = refused(() => callers.admit('a'))
    expect(failure).toMatchObject({ status: 429, code: 'too_many_requests', headers: { 'retry-after': '1' } })
    now = 1000
    callers.admit('a')
    expect(refused(() => callers.admit('a'))?.status).toBe(429)
  })

  it('does not shut anybody out when the clock is turned back', () => {
    let now = 10_000_000
    const callers = new Callers(60, () => now)
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
    const callers = new Callers(1, () => 0)
    callers.admit('a')
    callers.admit('b')
    expect(refused(() => callers.admit('a'))).toBeDefined()
  })

  it('remembers a bounded number of callers', () => {
    const callers = new Callers(1, () => 0)
    for (let i = 0; i < 120_000; i++) callers.admit(`caller ${i}`)
    expect(refused(() => callers.admit('caller 119999'))).toBeDefined()
    expect(refused(() => callers.admit('caller 0'))).toBeUndefined()
  })
})

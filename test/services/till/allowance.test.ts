import { describe, expect, it } from 'vitest'
import { refusalsAMinute } from '../../../services/rate.ts'
import { Allowance } from '../../../services/till/sale/allowance.ts'
import { failure } from './tills.ts'

const hourMs = 3_600_000

describe.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('a clock that jumps an hour %s', (_, jumpMs) => {
  it('refuses no payer who has refusals left, and none for longer than a minute', () => {
    let now = 10 * hourMs
    const allowance = new Allowance(() => now)
    allowance.count('some', refusalsAMinute - 1)
    allowance.count('all', refusalsAMinute)
    expect(() => allowance.admit('all')).toThrow(failure('too_many_requests'))
    now += jumpMs
    allowance.admit('some')
    allowance.admit('new')
    now += 60_000
    allowance.admit('all')
    allowance.count('all', refusalsAMinute)
    expect(() => allowance.admit('all')).toThrow(failure('too_many_requests'))
  })
})

import { describe, expect, it } from 'vitest'
import { refusalsAMinute } from '../../../services/offer/rate.ts'
import { Allowance, mostNames } from '../../../services/till/sale/allowance.ts'
import { failure } from './tills.ts'

const hourMs = 3_600_000
const tooMany = failure('too_many_requests')
const from = (caller: string, payer: string, proven = true) => ({ caller, payment: { payer, proven } })

describe.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('a clock that jumps an hour %s', (_, jumpMs) => {
  it('refuses no payer who has refusals left, and none for longer than a minute', () => {
    let now = 10 * hourMs
    const allowance = new Allowance(() => now)
    const [some, all] = [from('a', 'some'), from('b', 'all')]
    allowance.count(some, refusalsAMinute - 1)
    allowance.count(all, refusalsAMinute)
    expect(() => allowance.admit(all)).toThrow(tooMany)
    now += jumpMs
    allowance.admit(some)
    allowance.admit(from('c', 'new'))
    now += 60_000
    allowance.admit(all)
    allowance.count(all, refusalsAMinute)
    expect(() => allowance.admit(all)).toThrow(tooMany)
  })
})

describe('a payment that cannot be taken', () => {
  it('counts against its payer and its caller, each by himself', () => {
    const allowance = new Allowance(() => 0)
    for (let i = 0; i < refusalsAMinute; i++) allowance.countUnpaid(from('caller', `wallet ${i}`))
    expect(() => allowance.admit(from('caller', 'a full wallet'))).toThrow(tooMany)
    for (let i = 0; i < refusalsAMinute; i++) allowance.countUnpaid(from(`caller ${i}`, 'payer'))
    expect(() => allowance.admit(from('another', 'payer'))).toThrow(tooMany)
    allowance.admit(from('another', 'a full wallet'))
  })

  it('does not count against a payer whom anybody may have named', () => {
    const allowance = new Allowance(() => 0)
    for (let i = 0; i < 2 * refusalsAMinute; i++)
      allowance.countUnpaid(from(`caller ${i}`, 'the victim', false))
    allowance.admit(from('the victim’s own', 'the victim'))
  })

  it('does not count against him even if it asked an upstream', () => {
    const allowance = new Allowance(() => 0)
    allowance.count(from('a forger', 'the victim', false), refusalsAMinute)
    allowance.admit(from('the victim’s own', 'the victim'))
    expect(() => allowance.admit(from('a forger', 'another'))).toThrow(tooMany)
  })

  it('of a crowd of wallets pushes nobody out of the table of callers', () => {
    const allowance = new Allowance(() => 0)
    for (let i = 0; i < refusalsAMinute; i++) allowance.countUnpaid(from('caller', 'payer'))
    for (let i = 0; i < mostNames + 1; i++) allowance.count(from('x', `wallet ${i}`), 1)
    allowance.admit(from('another', 'payer'))
    expect(() => allowance.admit(from('caller', 'a new one'))).toThrow(tooMany)
  })
})

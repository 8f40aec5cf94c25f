/** An upstream that fails is left alone. What one stranger asks shuts it for nobody else. */
import { describe, expect, it } from 'vitest'
import { Circuit } from '../../../../pipelines/lookups/runner/circuit.ts'
import {
  AnsweredElse,
  asUpstreamFailed,
  UpstreamFailed,
  UpstreamRefused,
} from '../../../../pipelines/rails/failures.ts'

const late = () => new UpstreamFailed('it took longer than 10000 ms')
const refused = (status: number) => new UpstreamRefused('it', status, undefined, '')
const unreachable = () =>
  asUpstreamFailed(
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    'it',
  )

function opened() {
  const clock = { ms: 0 }
  const circuit = new Circuit({ failures: 5, openMs: 10_000 }, () => clock.ms)
  const fail = (caller: string, times: number, error: () => Error = late) => {
    for (let nth = 0; nth < times; nth++) {
      const attempt = circuit.begin(caller)
      attempt.failed(error())
      attempt.over()
    }
  }
  const isShut = (...callers: string[]) => callers.map(caller => circuit.isShutTo(caller))
  return { clock, circuit, fail, isShut }
}

describe('a circuit', () => {
  it('shuts to one caller alone, however often his questions fail', () => {
    const { fail, isShut } = opened()
    fail('stranger', 4)
    expect(isShut('stranger')).toEqual([false])
    fail('stranger', 100)
    expect(isShut('stranger', 'payer')).toEqual([true, false])
  })

  it('shuts to all who have failed, of three callers', () => {
    const { fail, isShut } = opened()
    for (const name of ['a', 'b']) fail(name, 3)
    expect(isShut('a', 'b')).toEqual([false, false])
    fail('c', 1)
    expect(isShut('a', 'b', 'c')).toEqual([true, true, true])
  })

  it('lets one at a time of the others try, and opens with the first answer', () => {
    const { circuit, fail, isShut } = opened()
    for (const name of ['a', 'b', 'c']) fail(name, 2)
    expect(isShut('d', 'e')).toEqual([false, false])
    const attempt = circuit.begin('d')
    expect(isShut('e')).toEqual([true])
    attempt.failed(late())
    attempt.over()
    expect(isShut('d', 'e')).toEqual([true, false])
    const next = circuit.begin('e')
    next.answered()
    next.over()
    expect(isShut('a', 'd', 'e')).toEqual([false, false, false])
  })

  it('shuts to everybody where no connection comes about, and then lets one try', () => {
    const { clock, circuit, fail, isShut } = opened()
    fail('a', 5, unreachable)
    expect(isShut('a', 'another')).toEqual([true, true])
    clock.ms += 10_000
    expect(isShut('a', 'another')).toEqual([false, false])
    const attempt = circuit.begin('another')
    expect(isShut('a', 'another')).toEqual([true, true])
    attempt.failed(unreachable())
    attempt.over()
    expect(isShut('a', 'another')).toEqual([true, true])
    clock.ms += 10_000
    circuit.begin('a').answered()
    expect(isShut('a', 'another')).toEqual([false, false])
  })

  it('counts no failure during which others were answered', () => {
    const { circuit, isShut } = opened()
    const slow = Array.from({ length: 9 }, () => circuit.begin('stranger'))
    circuit.begin('payer').answered()
    for (const attempt of slow) attempt.failed(late())
    expect(isShut('stranger', 'payer')).toEqual([false, false])
  })

  it.each([
    [refused(404), false],
    [new AnsweredElse('it answered with the page of a login'), false],
    [refused(429), true],
    [refused(503), true],
  ])('%s counts: %s', (error, counts) => {
    const { fail, isShut } = opened()
    fail('a', 5, () => error)
    expect(isShut('a')).toEqual([counts])
  })
})

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
  let seconds = 0
  // The lots of a run are those of every run.
  const circuit = new Circuit(
    { failures: 5, openMs: 10_000 },
    () => clock.ms,
    () => `second ${seconds++}`,
  )
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

  it('lets three others try in each second, and opens with the first answer', () => {
    const { clock, circuit, fail, isShut } = opened()
    for (const name of ['a', 'b']) fail(name, 2)
    fail('c', 1)
    expect(isShut('a', 'd', 'e')).toEqual([true, false, false])
    fail('d', 1)
    const attempt = circuit.begin('e')
    expect(isShut('d', 'e', 'f')).toEqual([true, true, false])
    circuit.begin('f')
    expect(isShut('g')).toEqual([true])
    clock.ms += 1_000
    expect(isShut('d', 'g')).toEqual([true, false])
    attempt.answered()
    attempt.over()
    expect(isShut('a', 'd', 'e', 'g')).toEqual([false, false, false, false])
  })

  it('is kept shut by no slow questions of colluders, each from a new address', () => {
    const { clock, circuit, fail, isShut } = opened()
    for (const name of ['a', 'b']) fail(name, 2)
    fail('c', 1)
    for (let nth = 0; nth < 5; nth++) {
      const slow = circuit.begin(`colluder ${nth}`)
      expect(isShut('payer')).toEqual([false])
      clock.ms += 10_000
      slow.failed(late())
      slow.over()
    }
    circuit.begin('payer').answered()
    expect(isShut('a', 'payer', 'another')).toEqual([false, false, false])
  })

  it.each([3, 10, 60])(
    'is open to who was answered before, although %i callers fail at once, again and again',
    many => {
      const { clock, circuit, fail, isShut } = opened()
      circuit.begin('payer').answered()
      const lastsMs = (many + 10) * 1000
      const refusedAt: number[] = []
      for (let ms = 0; ms < lastsMs; ms += 20) {
        clock.ms = ms
        for (let nth = 0; nth < many; nth++)
          if (!circuit.isShutTo(`colluder ${nth}`)) fail(`colluder ${nth}`, 1)
        if (ms % 100) continue
        if (isShut('payer')[0]) refusedAt.push(ms)
        else {
          const attempt = circuit.begin('payer')
          attempt.answered()
          attempt.over()
        }
      }
      expect(refusedAt).toEqual([])
    },
  )

  it('lets who has failed once try again after its pause, whoever else fails meanwhile', () => {
    const { clock, fail, isShut } = opened()
    for (const name of ['payer', 'a', 'b', 'c']) fail(name, 2)
    clock.ms += 9_999
    fail('colluder', 2)
    expect(isShut('payer')).toEqual([true])
    clock.ms += 1
    expect(isShut('payer')).toEqual([false])
  })

  it('spares what is dead: a thousand callers try three times a second, and each of them once', () => {
    const { clock, circuit, fail } = opened()
    for (const name of ['a', 'b']) fail(name, 2)
    fail('c', 1)
    const begun: string[] = []
    for (; clock.ms < 9_900; clock.ms += 10)
      for (let nth = 0; nth < 1_000; nth++)
        if (!circuit.isShutTo(`caller ${nth}`)) {
          begun.push(`caller ${nth}`)
          fail(`caller ${nth}`, 1)
        }
    expect(begun.length).toBeLessThanOrEqual(30)
    expect(begun.length).toBeGreaterThan(10)
    expect(new Set(begun).size).toBe(begun.length)
  })

  it.each([3, 30])('lets a newcomer try, though %i new addresses come before him in each second', many => {
    const { clock, circuit, fail } = opened()
    for (const name of ['a', 'b']) fail(name, 2)
    fail('c', 1)
    let tries = 0
    let colluders = 0
    for (let second = 1; second <= 100; second++) {
      clock.ms = second * 1_000
      for (let nth = 0; nth < many; nth++) {
        const name = `colluder ${second} ${nth}`
        if (circuit.isShutTo(name)) continue
        colluders++
        fail(name, 1)
      }
      clock.ms += 900
      if (!circuit.isShutTo('payer')) tries++
    }
    // His share of all who come is 100 / (many + 1), and these lots give him half of it at least.
    expect(tries).toBeGreaterThan(50 / (many + 1))
    expect(tries + colluders).toBeLessThanOrEqual(300)
  })

  it('is there again for everybody where a slow question reaches it after it was away', () => {
    const { clock, fail, isShut } = opened()
    fail('a', 5, unreachable)
    clock.ms += 10_000
    fail('colluder', 1, late)
    expect(isShut('colluder', 'payer')).toEqual([true, false])
  })

  it('waits for no clock that is turned back', () => {
    const { clock, fail, isShut } = opened()
    fail('a', 5, unreachable)
    clock.ms -= 3_600_000
    expect(isShut('a', 'payer')).toEqual([false, false])
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
    for (const attempt of slow) attempt.mayAsk()
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

import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { TillStep } from '../../../schemas/till-promises.ts'
import { deadMs, Judge, keysOfProof } from '../../../services/till/ledger/judge.ts'
import { replayMs } from '../../../services/till/ledger/purchase.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const tx = '0x1'
let judge: Judge
let at: number
beforeEach(() => {
  judge = new Judge()
  at = 1_000_000
})

/** `step` of run `by`, about request `request`. */
function hear(
  by: string,
  step: TillStep['step'],
  request = '',
  spend = 'spend',
  more: Partial<TillStep> = {},
) {
  const said = {
    by,
    step,
    spend_id: hash(spend),
    request_id: request,
    at: '',
    keys: [],
    promised: null,
    paying: null,
  }
  return judge.hear({ ...said, payment_tx: null, payment_position: null, ...more }, at)
}

describe('the judge', () => {
  it('lets the first promise for a payment stand, and no later one', () => {
    expect(hear('a', 'promised', 'one')).toBe(true)
    expect(hear('b', 'promised', 'two')).toBe(false)
    expect(hear('a', 'promised', 'three')).toBe(false)
    expect(hear('b', 'promised', 'four', 'another spend')).toBe(true)
  })

  it('accepts a promise that is written again', () => {
    expect(hear('a', 'promised', 'one')).toBe(true)
    expect(hear('a', 'promised', 'one')).toBe(true)
  })

  it('lets one promise for a key stand, whatever pays', () => {
    const keys = [hash('key')]
    expect(hear('a', 'promised', 'one', 'x', { keys })).toBe(true)
    expect(hear('b', 'promised', 'two', 'y', { keys })).toBe(false)
    // A step that was not accepted claims nothing.
    expect(hear('b', 'promised', 'three', 'y')).toBe(true)
  })

  it('lets the next one try after a failure, and none after a settlement', () => {
    hear('a', 'promised', 'one')
    hear('a', 'failed', 'one')
    expect(hear('b', 'promised', 'two')).toBe(true)
    hear('b', 'settled', 'two', 'spend', { payment_tx: tx })
    expect(hear('a', 'promised', 'three')).toBe(false)
  })

  it('gives a key free ten minutes after its settlement, and a payment never', () => {
    const keys = [hash('key')]
    hear('a', 'promised', 'one', 'x', { keys })
    hear('a', 'delivered', 'one', 'x', { payment_tx: tx })
    at += replayMs - 1
    expect(hear('b', 'promised', 'two', 'y', { keys })).toBe(false)
    at += 1
    expect(hear('b', 'promised', 'three', 'y', { keys })).toBe(true)
    expect(hear('b', 'promised', 'four', 'x')).toBe(false)
  })

  it('lets an announcement of a live run stand until it is withdrawn', () => {
    expect(hear('a', 'announced', 'one')).toBe(true)
    expect(hear('b', 'announced', 'two')).toBe(false)
    expect(hear('b', 'promised', 'three')).toBe(false)
    hear('a', 'returned', 'one')
    expect(hear('b', 'announced', 'four')).toBe(true)
  })

  it('lets an announcement whose end was lost stand for a minute and a half, and for its own run not at all', () => {
    const keys = [hash('key')]
    hear('a', 'announced', 'one', 'x', { keys })
    expect(hear('a', 'announced', 'two', 'y', { keys })).toBe(true)
    for (let passedMs = 0; passedMs < 90_000; passedMs += 10_000) {
      expect(hear('b', 'announced', 'three', 'z', { keys })).toBe(false)
      at += 10_000
      hear('a', 'beat')
    }
    expect(judge.isBusy(hash('key'), 'b', at)).toBe(true)
    at += 1
    expect(judge.isBusy(hash('key'), 'b', at)).toBe(false)
    expect(hear('b', 'announced', 'four', 'z', { keys })).toBe(true)
  })

  it('lets a proof be used once, whatever becomes of the run that took it', () => {
    const keys = keysOfProof(hash('proof'))
    expect(hear('a', 'announced', 'one', 'proof', { keys })).toBe(true)
    expect(hear('a', 'announced', 'two', 'proof', { keys })).toBe(false)
    at += 6 * 60_000
    judge.forget(at, () => false)
    expect(hear('b', 'announced', 'three', 'proof', { keys })).toBe(false)
  })

  it('lets an announcement lapse with its run, but not its promise', () => {
    hear('a', 'announced', 'one', 'x')
    hear('a', 'promised', 'two', 'y')
    at += deadMs - 1
    hear('a', 'beat')
    at += deadMs
    expect(hear('b', 'announced', 'three', 'x')).toBe(false)
    at += 1
    expect(hear('b', 'announced', 'four', 'x')).toBe(true)
    expect(hear('a', 'promised', 'one', 'x')).toBe(false)
    expect(hear('b', 'promised', 'five', 'y')).toBe(false)
  })

  it('lets a purchase be taken over from the dead, and from who gave it back', () => {
    hear('a', 'promised', 'one')
    expect(hear('b', 'taken', 'one')).toBe(false)
    at += deadMs + 1
    expect(hear('b', 'taken', 'one')).toBe(true)
    expect(hear('c', 'taken', 'one')).toBe(false)
    hear('a', 'returned', 'one')
    expect(hear('c', 'taken', 'one')).toBe(false)
    hear('b', 'returned', 'one')
    expect(hear('c', 'taken', 'one')).toBe(true)
    expect(hear('c', 'taken', 'another')).toBe(false)
  })

  it('calls a thing busy while another live run works on it', () => {
    const busy = (run: string) => judge.isBusy(hash('spend'), run, at)
    hear('a', 'promised', 'one')
    expect([busy('a'), busy('b')]).toEqual([false, true])
    hear('a', 'settled', 'one', 'spend', { payment_tx: tx })
    expect(busy('b')).toBe(true)
    hear('a', 'delivered', 'one', 'spend', { payment_tx: tx })
    expect(busy('b')).toBe(false)
    hear('a', 'promised', 'two', 'other')
    at += deadMs + 1
    expect(judge.isBusy(hash('other'), 'b', at)).toBe(false)
  })

  it('counts the ten minutes of a key from the settlement, whenever the answer is delivered', () => {
    const keys = [hash('key')]
    hear('a', 'promised', 'one', 'x', { keys })
    hear('a', 'settled', 'one', 'x', { payment_tx: tx })
    at += replayMs - 1
    hear('a', 'delivered', 'one', 'x', { payment_tx: tx })
    expect(hear('b', 'promised', 'two', 'y', { keys })).toBe(false)
    at += 1
    expect(hear('b', 'promised', 'three', 'y', { keys })).toBe(true)
  })

  it('forgets no run that lives', () => {
    hear('a', 'promised', 'one')
    judge.forget(at + deadMs, () => false)
    expect(hear('b', 'taken', 'one')).toBe(false)
  })

  it('forgets claims that are long over, and never an open promise', () => {
    hear('a', 'promised', 'one', 'x')
    hear('a', 'promised', 'two', 'y')
    hear('a', 'delivered', 'two', 'y', { payment_tx: tx })
    at += 24 * 60 * 60_000
    judge.forget(at, () => false)
    expect(hear('b', 'promised', 'three', 'x')).toBe(false)
    expect(hear('b', 'promised', 'four', 'y')).toBe(true)
  })

  it('does not forget a settled purchase while its answer is owed', () => {
    hear('a', 'promised', 'one', 'x')
    hear('a', 'settled', 'one', 'x', { payment_tx: tx })
    hear('a', 'returned', 'one', 'x')
    at += 6 * 24 * 60 * 60_000
    judge.forget(at, spendId => spendId === hash('x'))
    expect(hear('b', 'taken', 'one', 'x')).toBe(true)
    judge.forget(at, () => false)
    expect(hear('c', 'promised', 'two', 'x')).toBe(true)
  })
})

describe('the end of a payment', () => {
  it.each(['refused', 'failed'] as const)('is not %s by a run from which another has taken it over', step => {
    hear('a', 'promised', 'one')
    at += deadMs + 1
    expect(hear('b', 'taken', 'one')).toBe(true)
    // It was cut off from the log, and writes at last.
    expect(hear('a', step, 'one')).toBe(false)
    expect(judge.isBusy(hash('spend'), 'a', at)).toBe(true)
    expect(hear('b', step, 'one')).toBe(true)
  })

  it('is told by any run where the money has moved, and takes the purchase from nobody', () => {
    hear('a', 'promised', 'one')
    expect(hear('b', 'settled', 'one', 'spend', { payment_tx: tx })).toBe(true)
    expect(judge.isBusy(hash('spend'), 'b', at)).toBe(true)
    expect(hear('c', 'promised', 'two')).toBe(false)
  })

  it('by a refusal frees its keys and the payment', () => {
    const keys = [hash('key')]
    hear('a', 'promised', 'one', 'x', { keys })
    expect(hear('a', 'refused', 'one', 'x')).toBe(true)
    expect(judge.isBusy(hash('x'), 'b', at)).toBe(false)
    expect(hear('b', 'promised', 'two', 'y', { keys })).toBe(true)
    expect(hear('b', 'promised', 'three', 'x')).toBe(true)
    expect(hear('a', 'settled', 'one', 'x', { payment_tx: tx })).toBe(false)
  })

  it('is a settlement still if money moves for a refused payment that nobody has sold since', () => {
    const keys = [hash('key')]
    hear('a', 'promised', 'one', 'x', { keys })
    hear('a', 'refused', 'one', 'x')
    expect(hear('b', 'settled', 'one', 'x', { payment_tx: tx })).toBe(true)
    expect(hear('b', 'promised', 'two', 'x')).toBe(false)
    expect(hear('b', 'promised', 'three', 'y', { keys })).toBe(true)
  })

  it('is told by any run where none works on it', () => {
    hear('a', 'promised', 'one')
    hear('a', 'returned', 'one')
    expect(hear('b', 'failed', 'one')).toBe(true)
  })
})

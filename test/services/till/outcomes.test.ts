/** When the outcomes of sales are written. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { Outcomes } from '../../../services/till/ledger/outcomes.ts'

function openOutcomes(isOwned: boolean) {
  const written: string[] = []
  const log = {
    isOwned,
    append: async (_topic: unknown, entries: readonly { key: string }[]) =>
      void written.push(...entries.map(({ key }) => key)),
  }
  const outcomes = new Outcomes({
    log: log as unknown as Log,
    recordOf: () => undefined,
    onError: error => expect.fail(String(error)),
  })
  return { outcomes, written, say: (key: string) => outcomes.say({ key, value: '' }) }
}

/** A commit takes what was appended in the turn of its promise. */
const turn = () => Promise.resolve()

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('on a log with one owner, outcomes', () => {
  it('share the commit of the next promise once they have been gathered', async () => {
    const { outcomes, written, say } = openOutcomes(true)
    say('one')
    outcomes.ride()
    await turn()
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(10)
    say('two')
    expect(written).toEqual([])
    outcomes.ride()
    await turn()
    expect(written).toEqual(['one', 'two'])
  })

  it('are written alone where no promise comes', async () => {
    const { written, say } = openOutcomes(true)
    say('one')
    await vi.advanceTimersByTimeAsync(49)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual(['one'])
  })
})

it('on a log that others write, outcomes wait for no promise', async () => {
  const { outcomes, written, say } = openOutcomes(false)
  say('one')
  outcomes.ride()
  await vi.advanceTimersByTimeAsync(9)
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(written).toEqual(['one'])
})

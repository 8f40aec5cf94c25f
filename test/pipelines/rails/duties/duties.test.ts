import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openDuties } from '../../../../pipelines/rails/duties/duties.ts'
import { Roster } from '../../../../pipelines/rails/duties/roster.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { defineDataset, field } from '../../../../schemas/dataset/dataset.ts'
import { duties } from '../../../../schemas/duties.ts'
import { sameLog } from '../../../same-log.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'

const deadMs = 12_000

/** The content of the log: which process names which duties, and when. */
function rosterOf(...said: [by: string, at: number, ...held: string[]][]): Roster {
  const roster = new Roster(deadMs)
  said.forEach(([by, at, ...held], beat) => void roster.hear({ by, beat, held }, at))
  return roster
}

describe('the roster', () => {
  it('gives a duty to the first that names it', () => {
    const roster = rosterOf(['one', 0, 'faa'], ['two', 1, 'faa'])
    expect(roster.holds('one', 'faa')).toBe(true)
    expect(roster.holds('two', 'faa')).toBe(false)
  })

  it('gives it to another once its holder no longer names it', () => {
    const roster = rosterOf(['one', 0, 'faa', 'ecb'], ['one', 1, 'ecb'], ['two', 2, 'faa', 'ecb'])
    expect(roster.holds('two', 'faa')).toBe(true)
    expect(roster.holds('one', 'ecb')).toBe(true)
  })

  it('gives it to another once its holder is dead, and not before', () => {
    expect(rosterOf(['one', 0, 'faa'], ['two', deadMs, 'faa']).holds('one', 'faa')).toBe(true)
    const roster = rosterOf(['one', 0, 'faa'], ['two', deadMs + 1, 'faa'], ['one', deadMs + 2, 'faa'])
    expect(roster.holds('two', 'faa')).toBe(true)
    expect(roster.holds('one', 'faa')).toBe(false)
  })
})

const notes = defineDataset({
  name: 'plain_notes',
  about: 'Notes',
  fields: { note: field(z.string(), 'String', 'A note') },
  key: ['note'],
  identity: ['note'],
})

describe('a duty of several processes', () => {
  const times = { beatMs: 40, deadMs: 400, marginMs: 100, lookMs: 10 }

  async function openShared() {
    const owned = await openLog(`sqlite:${scratchFolder()}/log.db`, { topics: [duties.topic, notes.topic] })
    onTestFinished(() => owned.close())
    const state = { running: [] as string[], mostAtOnce: 0 }
    /** A process on that log. While it is cut off, the log takes nothing from it. */
    async function join(name: string) {
      let isCutOff = false
      const log = sameLog(owned, {
        isOwned: false,
        append: (topic, entries) =>
          isCutOff ? Promise.reject(new Error('the log is away')) : owned.append(topic, entries),
      })
      const outside = createOutside({ at: {}, contact: 'test', now: Date.now })
      const own = openDuties({ log, outside, onFailed: () => {}, times })
      let mine: Log | undefined
      const part = await own.alone('faa', given => {
        mine = given.log
        state.running.push(name)
        state.mostAtOnce = Math.max(state.mostAtOnce, state.running.length)
        return {
          ended: Promise.resolve(),
          close: async () => {
            state.running = state.running.filter(one => one !== name)
          },
        }
      })
      let closed: Promise<void> | undefined
      const close = () => {
        closed ??= part.close().then(() => own.close())
        return closed
      }
      onTestFinished(close)
      const note = () => (mine as Log).append(notes.topic, [{ key: 'a', value: '{"note":"a"}' }])
      const cut = (off: boolean) => {
        isCutOff = off
      }
      return { close, note, cut }
    }
    return { state, join }
  }

  it('is done by one, and by the other as soon as that one leaves', async () => {
    const { state, join } = await openShared()
    const one = await join('one')
    await until(() => state.running.includes('one'))
    await join('two')
    await one.close()
    await until(() => state.running.includes('two'))
    expect(state.mostAtOnce).toBe(1)
  })

  it('is done by the other when the log no longer hears its holder, which then may do nothing more', async () => {
    const { state, join } = await openShared()
    const one = await join('one')
    await until(() => state.running.includes('one'))
    await one.note()
    await join('two')
    one.cut(true)
    await until(() => state.running.includes('two'))
    expect(state.mostAtOnce).toBe(1)
    one.cut(false)
    await expect(one.note()).rejects.toThrow('lost the duty faa')
    expect(state.running).toEqual(['two'])
  })
})

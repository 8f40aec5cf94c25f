import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { nextSlot, Rounds, usualRhythm } from '../../../../pipelines/domains/watch/rounds.ts'
import { Trouble } from '../../../../pipelines/domains/watch/trouble.ts'
import { Crew } from '../../../../pipelines/workers/watch/crew.ts'

const start = Date.parse('2026-11-16T09:00:00Z')
const endpoints = Array.from({ length: 2000 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex'))
const roundMs = usualRhythm.everyMs

function opened(checkedAt: number | undefined = start) {
  const rounds = new Rounds(usualRhythm, start)
  for (const endpoint of endpoints) rounds.add(endpoint, checkedAt)
  return rounds
}

describe('the rounds', () => {
  test('ask each endpoint once in 15 minutes, spread over their seconds', () => {
    const rounds = opened()
    const asked = new Map<string, number>()
    let most = 0
    for (let at = start + 1000; at <= start + 2 * roundMs; at += 1000) {
      const due = rounds.due(at)
      most = Math.max(most, due.length)
      for (const { endpoint } of due) {
        asked.set(endpoint, (asked.get(endpoint) ?? 0) + 1)
        expect(at % roundMs).toBe(nextSlot(endpoint, at) % roundMs)
      }
    }
    expect([...new Set(asked.values())]).toEqual([2])
    expect(asked.size).toBe(endpoints.length)
    expect(most).toBeLessThan(20)
  })

  test('check a missed slot once, however long they were stopped', () => {
    const rounds = opened()
    const due = rounds.due(start + 10 * roundMs)
    expect(due).toHaveLength(endpoints.length)
    expect(rounds.due(start + 10 * roundMs)).toEqual([])
    expect(rounds.due(start + 11 * roundMs)).toHaveLength(endpoints.length)
  })

  test('check after a start what was missed, and keep the rhythm', () => {
    const late = opened(start - roundMs)
    const made = late.due(start).length
    expect(made).toBe(endpoints.length)
    expect(opened(start).due(start)).toEqual([])
    const first = endpoints[0] as string
    expect(nextSlot(first, start)).toBe(nextSlot(first, nextSlot(first, start) - 1))
  })

  test('check again outside of the rhythm, but nothing that is no longer watched', () => {
    const rounds = opened()
    const [one, other] = endpoints as [string, string]
    rounds.again(one, start + 30_000)
    rounds.again(other, start + 30_000)
    rounds.drop(other)
    rounds.again(other, start + 30_000)
    const again = []
    for (let at = start + 1000; at <= start + 31_000; at += 1000)
      again.push(...rounds.due(at).filter(({ isAgain }) => isAgain))
    expect(again).toEqual([{ endpoint: one, isAgain: true }])
  })
})

describe('the failure is ours', () => {
  test('if half of the hosts fail within a minute, but not if few are watched', () => {
    const trouble = new Trouble()
    trouble.hear('a', true, start)
    trouble.hear('b', true, start)
    trouble.hear('c', false, start)
    expect(trouble.isOurs(start)).toBe(false)
    trouble.hear('d', false, start)
    expect(trouble.isOurs(start)).toBe(true)
    trouble.hear('a', false, start + 1000)
    expect(trouble.isOurs(start + 1000)).toBe(false)
    trouble.hear('a', true, start + 2000)
    expect(trouble.isOurs(start + 2000)).toBe(true)
    expect(trouble.isOurs(start + 61_000)).toBe(false)
  })
})

test('the crew runs 64 at once, and six of a host', async () => {
  const crew = new Crew()
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  const run = () => {
    most = Math.max(most, ++running)
    return new Promise<void>(resolve =>
      ends.push(() => {
        running--
        resolve()
      }),
    )
  }
  for (let i = 0; i < 10; i++) crew.add('one', run, i)
  expect(running).toBe(6)
  for (let i = 0; i < 100; i++) crew.add(`host ${i}`, run, i)
  expect(running).toBe(64)
  const idle = crew.idle()
  while (ends.length) {
    ends.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  await idle
  expect([running, most]).toEqual([0, 64])
  expect(crew.waitingSince).toBeUndefined()
})

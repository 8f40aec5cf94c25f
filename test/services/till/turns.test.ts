/** The line of calls for one payment or key. */
import { expect, it } from 'vitest'
import { type Free, Turns } from '../../../services/till/sale/turns.ts'

const longMs = 600_000

it('lets one at a time work, in the order in which they came, and nobody wait for another thing', async () => {
  const turns = new Turns()
  const first = (await turns.take('a payment', 0)) as Free
  const begun: string[] = []
  const others = ['second', 'third'].map(async name => {
    const free = await turns.take('a payment', longMs)
    begun.push(name)
    return free
  })
  expect(await turns.take('another payment', 0)).toBeTypeOf('function')
  expect(begun).toEqual([])
  first()
  const second = await others[0]
  // A turn that has ended ends no other.
  first()
  await new Promise(setImmediate)
  expect(begun).toEqual(['second'])
  second?.()
  ;(await others[1])?.()
  expect(turns.isTaken('a payment')).toBe(false)
  expect(turns.isTaken('another payment')).toBe(true)
})

it('has a line of 32, and keeps nobody for longer than he waits', async () => {
  const turns = new Turns()
  const first = (await turns.take('a payment', 0)) as Free
  expect(await turns.take('a payment', 0)).toBeUndefined()
  expect(await turns.take('a payment', 1)).toBeUndefined()
  const line = Array.from({ length: 32 }, () => turns.take('a payment', longMs))
  expect(await turns.take('a payment', longMs)).toBeUndefined()
  first()
  for (const turn of line) (await turn)?.()
  expect(turns.isTaken('a payment')).toBe(false)
})

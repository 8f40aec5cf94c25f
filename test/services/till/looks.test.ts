/** The looks at a chain that strangers may cause: of one caller, and of all callers together. */
import { expect, it } from 'vitest'
import { Looks } from '../../../services/till/sale/looks.ts'

const minuteMs = 60_000

function open(ofOne = { atOnce: 2, aMinute: 3 }) {
  const clock = { at: 1_000_000 }
  const looks = new Looks(() => clock.at, ofOne)
  const look = (caller: string) => looks.look(caller, async () => 'seen')
  /** A look that lasts until the test ends it. */
  const begin = (caller: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    return { seen: looks.look(caller, () => promise), end: () => resolve('seen'), fail: reject }
  }
  return { clock, look, begin }
}

it('are few of one caller in a minute, and no other caller’s', async () => {
  const { clock, look } = open()
  for (let nth = 0; nth < 3; nth++) expect(await look('one')).toBe('seen')
  expect(await look('one')).toBe(null)
  expect(await look('another')).toBe('seen')
  clock.at += minuteMs - 1
  expect(await look('one')).toBe(null)
  clock.at += 1
  expect(await look('one')).toBe('seen')
})

it('are fewer of one caller at once, also after a look that failed', async () => {
  const { begin, look } = open({ atOnce: 2, aMinute: 100 })
  const [first, second] = [begin('one'), begin('one')]
  expect(await look('one')).toBe(null)
  expect(await look('another')).toBe('seen')
  first.fail(new Error('the node is away'))
  await expect(first.seen).rejects.toThrow('away')
  expect(await look('one')).toBe('seen')
  const third = begin('one')
  expect(await look('one')).toBe(null)
  second.end()
  third.end()
  expect(await Promise.all([second.seen, third.seen])).toEqual(['seen', 'seen'])
  expect(await look('one')).toBe('seen')
})

it('are eight of all callers at once', async () => {
  const { begin, look } = open()
  const looks = Array.from({ length: 8 }, (_, nth) => begin(`caller ${nth}`))
  expect(await look('the ninth')).toBe(null)
  looks[0]?.end()
  await looks[0]?.seen
  expect(await look('the ninth')).toBe('seen')
  for (const { end } of looks) end()
})

it('are 240 of all callers in a minute', async () => {
  const { clock, look } = open()
  for (let nth = 0; nth < 240; nth++) expect(await look(`caller ${nth}`)).toBe('seen')
  expect(await look('one more')).toBe(null)
  clock.at += minuteMs
  expect(await look('one more')).toBe('seen')
})

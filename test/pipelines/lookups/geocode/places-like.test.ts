import { expect, it } from 'vitest'
import { placesLike } from '../../../../pipelines/lookups/geocode/places-like.ts'
import { usPlace } from '../../../../pipelines/lookups/geocode/us-places.ts'

const names = (begun: string, most = 8) => placesLike(begun, most).map(({ name }) => name)

it('suggests the largest places that begin so, each of which can be asked for', () => {
  expect(names('seatt')[0]).toBe('Seattle, WA')
  expect(names('New Yo')[0]).toBe('New York, NY')
  expect(names('st. paul, mn')).toEqual(['Saint Paul, MN'])
  expect(names('Portland, ')).toContain('Portland, ME')
  for (const begun of ['san', 'ho', 'Winston-S'])
    for (const name of names(begun)) expect(usPlace(name)).toBeDefined()
})

it('suggests ZIPs by their first digits', () => {
  expect(names('98101')).toEqual(['Seattle, WA 98101'])
  expect(names('981', 3)).toHaveLength(3)
  for (const name of names('100')) expect(name).toMatch(/, NY 100\d\d$/)
})

it.each(['', ' ', 's', '1', '98', '1600 Penn', ',', '|', '\n', 'sea\nttle|', '=', '💥', 'x'.repeat(1e6)])(
  'suggests nothing for %j',
  begun => {
    expect(names(begun.slice(0, 99))).toEqual([])
    expect(names(begun)).toEqual([])
  },
)

it('never suggests more than it is asked for', () => {
  for (const begun of ['sa', 'ma', '1000', '900']) expect(names(begun, 5).length).toBeLessThanOrEqual(5)
})

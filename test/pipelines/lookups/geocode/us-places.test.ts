import { describe, expect, it } from 'vitest'
import { statesOf, usPlace } from '../../../../pipelines/lookups/geocode/us-places.ts'

describe('a place of the US', () => {
  it.each([
    ['98101', 'Seattle, WA 98101'],
    ['98101-1234', 'Seattle, WA 98101'],
    ['Seattle, WA 98101', 'Seattle, WA 98101'],
    ['Seattle, WA', 'Seattle, WA'],
    ['seattle wa', 'Seattle, WA'],
    ['Seattle, Washington, USA', 'Seattle, WA'],
    ['Washington, D.C.', 'Washington, DC'],
    ['New York New York', 'New York, NY'],
    ['New York City, NY', 'New York, NY'],
    ['St. Louis, MO', 'Saint Louis, MO'],
    ['Kansas City, Kansas', 'Kansas City, KS'],
    ['Charleston, West Virginia', 'Charleston, WV'],
    ['winston salem nc', 'Winston-Salem, NC'],
    ['Coeur d’Alene, ID', "Coeur d'Alene, ID"],
    ['99553', 'Akutan, AK 99553'],
  ])('%s is %s', (asked, name) => expect(usPlace(asked)?.name).toBe(name))

  it.each([
    ['1600 Pennsylvania Ave NW, Washington, DC 20500', 'a street address'],
    ['Portland, OR 98101', 'its ZIP is in another state'],
    ['Main Street 98101', 'no state stands beside the ZIP'],
    ['00000', 'there is no such ZIP'],
    ['Seattle', 'no state'],
    ['Paris, France', 'not in the US'],
    ['West Virginia', 'a state alone'],
    ['', 'nothing'],
    ['|=:\n', 'nothing that a place is called'],
  ])('%j is none: %s', asked => expect(usPlace(asked)).toBeUndefined())

  it('lies within two kilometres of where it is, and a city within itself', () => {
    expect(usPlace('20500')).toMatchObject({ lat: 38.89, lon: -77.04, city: 'Washington', state: 'DC' })
    // The mean of its ZIPs is in the bay.
    expect(usPlace('San Francisco, CA')).toMatchObject({ lat: 37.77, lon: -122.42 })
    expect(usPlace('Honolulu, HI')).toMatchObject({ lat: 21.31, lon: -157.85 })
  })
})

it('a city without its state names the states that have one, and is not guessed', () => {
  expect(statesOf('Seattle')).toEqual(['WA'])
  expect(statesOf('springfield')).toEqual(['AR', 'CO', 'GA', 'ID', 'IL', 'KY', 'LA', 'MA'])
  for (const none of ['Nowhereville', '12 Main St', '', '|', 'x'.repeat(61)])
    expect(statesOf(none)).toEqual([])
})

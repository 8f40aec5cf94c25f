import { expect, test } from 'vitest'
import { continentNames, continentOf, countryName, inEu } from '../../../schemas/tables/countries.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const codes = letters.flatMap(first => letters.map(second => first + second))

test('the EU has 27 members, and seven parts with their own codes', () => {
  expect(codes.filter(inEu)).toHaveLength(34)
  expect(['FR', 'IE', 'CY', 'HR', 'RE', 'AX', 'MF', 'YT'].every(inEu)).toBe(true)
})

test.each(
  'GB GG JE IM GI NO IS LI CH FO GL AD MC SM VA NC PF PM WF BL TF AW CW SX BQ XK UA TR EU ZZ'.split(' '),
)('%s is not in the EU', code => expect(inEu(code)).toBe(false))

test('every country is on one continent and has a name', () => {
  const placed = codes.filter(continentOf)
  expect(placed).toHaveLength(250)
  for (const code of placed) {
    expect(countryName(code), code).toMatch(/^\p{L}/u)
    expect(continentNames[continentOf(code) as string], code).toBeDefined()
  }
})

test.each([
  ['US', 'NA', 'United States'],
  ['NA', 'AF', 'Namibia'],
  ['RE', 'AF', 'Réunion'],
  ['AQ', 'AN', 'Antarctica'],
  ['XK', 'EU', 'Kosovo'],
  ['HK', 'AS', 'Hong Kong'],
  ['MO', 'AS', 'Macao'],
  ['MM', 'AS', 'Myanmar'],
  ['PS', 'AS', 'Palestine'],
  ['CD', 'AF', 'DR Congo'],
  ['CG', 'AF', 'Congo Republic'],
  ['CI', 'AF', 'Ivory Coast'],
])('%s is in %s and is called %s', (code, continent, name) => {
  expect(continentOf(code)).toBe(continent)
  expect(countryName(code)).toBe(name)
})

test.each(['ZZ', 'XX', 'us', '', 'constructor'])('%j is not a country', code => {
  expect(continentOf(code)).toBeUndefined()
  expect(countryName(code)).toBeUndefined()
})

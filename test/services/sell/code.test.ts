/** An origin in code is read as a file is: what is wrong has its place, and it takes no other's. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { data } from '../../../services/origins/data/origin.ts'
import { readFile } from '../../../services/sell/files.ts'
import { scratchFolder } from '../../scratch.ts'
import { moveOut } from './sold-examples.ts'

const given = { set: {}, asks: true, isOurs: (name: string) => name === 'DATA_URL' }
const told = (file: string, more = {}) =>
  readFile(file, [data], { ...given, ...more }).faults.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  )

function faultsOf(text: string): string[] {
  const file = join(scratchFolder(), 'tides.ts')
  writeFileSync(file, text)
  return told(file)
}

const tides = (operation = '', origin = '') => `import { defineOperation, defineOrigin, z } from 'farebox'
export default defineOrigin({ name: 'tides', title: 'Tides', version: '1', address: 'TIDES_URL', free: [], pages: [],
  operations: [{ id: 'tidesTide', path: '/tide', price: '0.003', title: 'A tide', about: 'A tide.', tags: [], costs: 'held',
    request: z.strictObject({}), response: z.strictObject({ metres: z.number() }), refusals: {},
    example: { request: {}, response: { metres: 1 } }, answer: () => ({ metres: 1 }), ${operation} }], ${origin} })`

describe('an origin in code', () => {
  it('is what the built-in room is that has moved out', () => {
    const { faults, origin } = readFile(moveOut(scratchFolder()), [data], given)
    expect(faults).toEqual([])
    const [geocode] = origin?.operations ?? []
    const built = data.operations.find(({ path }) => path === '/geocode')
    expect(JSON.stringify(geocode?.example)).toBe(JSON.stringify(built?.example))
    expect(geocode?.answer).not.toBe(built?.answer)
  })

  it.each<[string, string, string]>([
    ['that cannot be read', 'export default {\n  name: )', '2:'],
    ['that throws', "\nthrow new Error('no key')", '2:7 it cannot be loaded: no key'],
    ['of another package', "import 'nothing-here'", '1:1 it cannot be loaded: Cannot find package'],
    ['without an origin', 'export const a = 1', '1:1 it should export defineOrigin({ … }) as default'],
    ['with a name of ours', tides('', "name: 'data'"), '1:1 data is taken: choose another name'],
    ['with an address of ours', tides('', "address: 'DATA_URL'"), '1:1 tides is taken'],
    ['without operations', tides('', 'operations: []'), '1:1 operations: '],
    ['at a path of ours', tides("path: '/fx'"), '1:1 /fx: something else is at this path already'],
    ['under a name of ours', tides("id: 'geocodeAddress'"), '1:1 /tide: its name in receipts'],
    ['that costs nothing', tides("price: '0'"), '1:1 operations.0.price: US dollars above 0'],
    ['with a question that is no type', tides('request: {}'), '1:1 operations.0.request: a type of z'],
    ['without an answer', tides('answer: 1'), '1:1 operations.0.answer: a function'],
  ])('%s is refused at the start', (_, text, message) => {
    expect(faultsOf(text)[0]).toContain(message)
    expect(faultsOf(tides())).toEqual([])
  })

  it('is not run where nothing is asked', () => {
    const file = join(scratchFolder(), 'tides.ts')
    writeFileSync(file, "throw new Error('it runs')")
    expect(told(file, { asks: false })).toEqual([])
  })
})

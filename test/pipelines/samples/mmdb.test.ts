import { type CityResponse, Reader } from 'maxmind'
import { expect, test } from 'vitest'
import { Float32, mmdb } from '../../../pipelines/samples/mmdb.ts'

const built = new Date('2026-11-01T02:03:04Z')
const read = (file: Buffer) => new Reader<CityResponse>(file)

test('a written value is read back, whatever its kind', () => {
  const record = {
    text: 'Île-de-France',
    long: 'x'.repeat(200),
    empty: '',
    zero: 0,
    number: 4_000_000_000,
    negative: -33.8688,
    yes: true,
    no: false,
    list: [{ en: 'a' }, 'b', 1.5],
  }
  const reader = read(mmdb({ type: 'A type', ipVersion: 4, built, networks: { '1.2.3.0/24': record } }))
  expect(reader.get('1.2.3.4')).toEqual(record)
  expect(reader.metadata).toMatchObject({ databaseType: 'A type', ipVersion: 4, buildEpoch: built })
})

test('a 32-bit float keeps 32 bits', () => {
  const networks = { '1.0.0.0/8': { is: new Float32(37.422) } }
  expect(read(mmdb({ type: 'x', ipVersion: 4, built, networks })).get('1.0.0.0')).toEqual({
    is: Math.fround(37.422),
  })
})

test('the longest prefix wins, in whatever order they are given', () => {
  const networks = { '1.2.3.4/32': 'one', '0.0.0.0/1': 'half', '1.2.0.0/16': 'many', '200.0.0.0/8': 'other' }
  const reader = read(mmdb({ type: 'x', ipVersion: 4, built, networks }))
  const found = ['1.2.3.4', '1.2.3.5', '1.3.0.0', '200.1.1.1', '201.0.0.0'].map(address =>
    reader.get(address),
  )
  expect(found).toEqual(['one', 'many', 'half', 'other', null])
})

test('a file of both families keeps IPv4 in the usual place', () => {
  const networks = { '8.8.8.0/24': 'four', '2606:4700::/32': 'six' }
  const reader = read(mmdb({ type: 'x', ipVersion: 6, built, networks }))
  const found = ['8.8.8.8', '8.8.9.8', '2606:4700::1', '2607::1'].map(address => reader.get(address))
  expect(found).toEqual(['four', null, 'six', null])
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Prefixes } from '../../../../pipelines/lookups/ip/prefixes.ts'
import { networkLookup } from '../../../../pipelines/lookups/ip.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { mmdb } from '../../../../pipelines/samples/mmdb.ts'
import { type IpAddress, parseIpAddress } from '../../../../schemas/values/ip-address.ts'
import { outsideOf } from './databases.ts'

const address = (text: string) => parseIpAddress(text) as IpAddress
const outside = outsideOf('http://127.0.0.1:9', Date.now)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extras-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))
const put = (name: string, content: string | Buffer) => writeFile(join(folder, name), content)
const autonomous = (asn: number, ipVersion: 4 | 6, prefix: string) =>
  mmdb({
    type: 'ASN',
    ipVersion,
    built: new Date('2026-11-01'),
    networks: { [prefix]: { autonomous_system_number: asn, autonomous_system_organization: '' } },
  })

describe('the folder of the operator', () => {
  test('is read again when a file changes, and keeps serving while one is broken', async () => {
    const looking = networkLookup.open({ ipExtras: folder })
    const isTor = async (text: string) => (await looking.find(address(text), outside))?.flags.tor
    await looking.prepare?.run(outside)
    expect(await isTor('9.9.9.9')).toBeUndefined()
    await put('tor.txt', '# Tor Project\n9.9.9.9\n')
    await looking.prepare?.run(outside)
    expect(await isTor('9.9.9.9')).toBe(true)
    await put('tor.txt', '# Tor Project\nnot a prefix\n')
    await expect(looking.prepare?.run(outside)).rejects.toThrow(
      /tor\.txt.*"not a prefix", which is not a prefix/,
    )
    expect(await isTor('9.9.9.9')).toBe(true)
  })

  test('asks a file only for its own family', async () => {
    await put('v4.mmdb', autonomous(4, 4, '38.6.0.0/16'))
    await put('v6.mmdb', autonomous(6, 6, '2606:4700::/32'))
    const looking = networkLookup.open({ ipExtras: folder })
    await looking.prepare?.run(outside)
    const of = async (text: string) => (await looking.find(address(text), outside))?.network
    expect(await of('38.6.0.1')).toEqual({ asn: 4, organization: null })
    expect(await of('2606:4700::1')).toEqual({ asn: 6, organization: null })
    expect(await of('9.9.9.9')).toBeNull()
  })

  test.each([
    ['relay.txt', '1.2.3.0/24\n', /must say whose list it is/],
    [
      'cities.mmdb',
      mmdb({ type: 'City', ipVersion: 6, built: new Date(0), networks: {} }),
      /a database of City/,
    ],
    ['asn.mmdb', 'half a file', /cannot be used/],
  ])('%s of another form is refused', async (name, content, message) => {
    await put(name, content)
    const looking = networkLookup.open({ ipExtras: folder })
    const failed = await looking.prepare?.run(outside).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UpstreamFailed)
    expect((failed as Error).message).toMatch(message)
  })

  describe('may have the files of @ip-location-db/asn', () => {
    const about = JSON.stringify({ name: '@ip-location-db/asn', version: '2.3.2026061719' })
    const v4 =
      '134744064,134744319,15169,Google LLC\n' +
      '151587072,151587327,19281,"Quad9, ""the"" Foundation"\n' +
      '3221225472,3221225727,64500,\n'
    const v6 = '50543257672059871404715951523469721600,50543257751288033918980289117013671935,6,Six\n'
    const opened = async () => {
      const looking = networkLookup.open({ ipExtras: folder })
      await looking.prepare?.run(outside)
      return async (text: string) => looking.find(address(text), outside)
    }

    test('which give the network of each address within a range, and credit their makers', async () => {
      await put('package.json', about)
      await put('asn-ipv4-num.csv', v4)
      await put('asn-ipv6-num.csv', v6)
      const find = await opened()
      const of = async (text: string) => (await find(text))?.network
      await put('asn-ipv4-num.csv', `${v4}3221225700,3221225999,64501,Later\n`)
      expect((await (await opened())('192.0.0.230'))?.network?.asn).toBe(64501)
      const google = { asn: 15169, organization: 'Google LLC' }
      expect([await of('8.8.8.0'), await of('8.8.8.255')]).toEqual([google, google])
      expect([await of('8.8.7.255'), await of('8.8.9.0'), await of('255.0.0.0')]).toEqual([null, null, null])
      expect(await of('9.9.9.9')).toEqual({ asn: 19281, organization: 'Quad9, "the" Foundation' })
      expect(await of('192.0.0.1')).toEqual({ asn: 64500, organization: null })
      expect(await of('2606:4700::1')).toEqual({ asn: 6, organization: 'Six' })
      expect((await find('8.8.8.8'))?.credits.network).toBe(
        '@ip-location-db/asn 2.3.2026061719, from Route Views (routeviews.org), IP Geolocation by DB-IP (https://db-ip.com) and NRO (nro.net), CC BY 4.0',
      )
    })

    test('of one family: the other is unknown, and an .mmdb has precedence', async () => {
      await put('package.json', about)
      await put('asn-ipv4-num.csv', v4)
      expect((await (await opened())('2606:4700::1'))?.network).toBeNull()
      await put('v4.mmdb', autonomous(4, 4, '8.8.8.0/24'))
      expect((await (await opened())('8.8.8.8'))?.network).toEqual({ asn: 4, organization: null })
    })

    test.each([
      ['without the package that says whose they are', undefined, v4, /package\.json/],
      ['with a line of another form', about, `${v4}1.2.3.0,1.2.3.255,5,Five\n`, /line 4 .* not a range/],
      ['out of order', about, `${v4}16777216,16777471,13335,Cloudflare\n`, /line 4 is not behind/],
      ['whose end is before its start', about, '20,10,5,Five\n', /line 1 is not behind/],
    ])('are refused %s', async (_, packed, csv, message) => {
      if (packed) await put('package.json', packed)
      await put('asn-ipv4-num.csv', csv)
      const failed = await opened().catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(UpstreamFailed)
      expect((failed as Error).message).toMatch(message)
    })
  })

  test('that is missing is reported, and without one nothing is known', async () => {
    const gone = networkLookup.open({ ipExtras: join(folder, 'gone') })
    await expect(gone.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    const none = networkLookup.open({})
    await none.prepare?.run(outside)
    expect(await none.find(address('9.9.9.9'), outside)).toBeUndefined()
  })
})

test('a set of prefixes holds the first and the last address of each, and no neighbour', () => {
  const prefixes = new Prefixes(['10.1.0.0/15', '9.9.9.9', '2001:db8::/33,x', '0.0.0.0/32 # no'], 'a list')
  for (const [text, held] of [
    ['10.0.0.0', true],
    ['10.1.255.255', true],
    ['10.2.0.0', false],
    ['9.255.255.255', false],
    ['9.9.9.9', true],
    ['9.9.9.8', false],
    ['2001:db8:7fff:ffff::1', true],
    ['2001:db8:8000::', false],
    ['0.0.0.0', true],
  ] as const)
    expect([text, prefixes.has(address(text))]).toEqual([text, held])
  for (const line of ['10.0.0.0/33', '10.0.0.0/x', '10.0.0/8', '::/129', '-'])
    expect(() => new Prefixes([line], 'a list')).toThrow(/not a prefix/)
})

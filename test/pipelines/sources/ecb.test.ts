import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { ecb } from '../../../pipelines/sources/ecb.ts'
import { type FxDay, fxRates } from '../../../schemas/fx-rates.ts'
import { testRecorded } from '../../samples.ts'
import { daily, ecbXml, history, ninety, poll, startEcb } from './ecb-upstream.ts'

const evening = '2026-04-13T15:00:00Z'
let upstream: Awaited<ReturnType<typeof startEcb>>
beforeEach(async () => {
  upstream = await startEcb()
})
afterEach(() => upstream.close())

/** The state after a first poll, and the newest day of it. */
async function known() {
  const { cursor, days } = await poll(upstream, evening)
  upstream.asked()
  return { cursor, newest: days.at(-1) as FxDay }
}
const later = (newest: FxDay, day: string, rates: Record<string, string> = {}): FxDay => ({
  day,
  rates: { ...newest.rates, ...rates },
})

test('a new currency and a missing one are a drift', async () => {
  const { cursor, newest } = await known()
  const { BGN: _, TRY: gone, ...rates } = newest.rates
  upstream.files.set(daily, Buffer.from(ecbXml({ day: '2026-04-14', rates: { ...rates, XYZ: '2.5' } })))
  const drifts = []
  for await (const { drift } of ecb.pull(cursor, upstream.outside(Date.parse('2026-04-14T15:00:00Z')), {}))
    drifts.push(...(drift ?? []))
  expect(gone).toBeDefined()
  expect(drifts).toEqual([{ kind: 'set', what: 'currencies', sample: '+XYZ -TRY' }])
})

describe('a first poll', () => {
  test('returns the daily file, the 90 days and the history before them', async () => {
    const { days } = await poll(upstream, evening)
    expect(upstream.asked()).toEqual([`200 ${daily}`, `200 ${ninety}`, `200 ${history}`])
    expect(days.map(({ day }) => day)).toEqual([...new Set(days.map(({ day }) => day))])
    expect(days[0]?.day).toBe('1999-01-04')
    expect(days.at(-1)?.day).toBe('2026-04-13')
    for (const day of days) expect(fxRates.event.safeParse(day).success).toBe(true)
  })

  test('keeps every rate as published, and no currency without a rate', async () => {
    const { days } = await poll(upstream, evening)
    const rates = days.at(-1)?.rates ?? {}
    expect(rates).toMatchObject({
      USD: '1.1684',
      JPY: '186.75',
      GBP: '0.87058',
      HUF: '366.90',
      IDR: '20082.05',
      KRW: '1740.86',
      ZAR: '19.3849',
    })
    expect(Object.keys(rates)).toHaveLength(29)
    expect(days.find(({ day }) => day === '2025-12-31')?.rates.BGN).toBe('1.9558')
    expect(days.find(({ day }) => day === '2026-01-02')?.rates).not.toHaveProperty('BGN')
  })

  test('reads the history again if an earlier version kept only a part of it', async () => {
    const earlier = { newest: later((await known()).newest, '2026-04-13'), whole: true, validators: {} }
    upstream.asked()
    const { days, cursor } = await poll(upstream, evening, earlier as never)
    expect(days[0]?.day).toBe('1999-01-04')
    expect(cursor?.complete).toBe(true)
  })

  test('sells the 90-day file while the history fails, and requests the history again', async () => {
    const zip = upstream.files.get(history) as Buffer
    upstream.files.delete(history)
    const pages = ecb.pull(undefined, upstream.outside(Date.parse(evening)), {})[Symbol.asyncIterator]()
    const first = await pages.next()
    expect(first.value.events).toHaveLength(11)
    await expect(pages.next()).rejects.toThrow(/eurofxref-hist\.zip answered 404/)
    expect(ecb.due?.(Date.parse(evening), first.value.cursor)).toBe(true)

    upstream.asked()
    upstream.files.set(history, zip)
    const { days, cursor } = await poll(upstream, evening, first.value.cursor)
    expect(upstream.asked()).toEqual([`200 ${daily}`, `200 ${history}`])
    expect(days[0]?.day).toBe('1999-01-04')
    expect(cursor?.complete).toBe(true)
  })
})

describe('a later poll', () => {
  test('gets 304 and returns nothing', async () => {
    const { cursor } = await known()
    const again = await poll(upstream, evening, cursor)
    expect(upstream.asked()).toEqual([`304 ${daily}`])
    expect(again).toEqual({ days: [], corrections: [], cursor })
  })

  test('returns the next day from the daily file alone', async () => {
    const { cursor, newest } = await known()
    const next = later(newest, '2026-04-14', { USD: '1.1702' })
    upstream.files.set(daily, ecbXml(next))
    const { days } = await poll(upstream, '2026-04-14T15:00:00Z', cursor)
    expect(days).toEqual([next])
    expect(upstream.asked()).toEqual([`200 ${daily}`])
  })

  test('returns nothing if the same day comes in another form', async () => {
    const { cursor, newest } = await known()
    upstream.files.set(daily, ecbXml(newest))
    expect((await poll(upstream, evening, cursor)).days).toEqual([])
  })

  test('returns a correction of the newest day', async () => {
    const { cursor, newest } = await known()
    const corrected = later(newest, newest.day, { USD: '1.1685' })
    upstream.files.set(daily, ecbXml(corrected))
    const { days, corrections } = await poll(upstream, evening, cursor)
    expect(days).toEqual([corrected])
    const at = new Date(evening).toISOString()
    expect(corrections).toEqual([{ day: newest.day, at, was: newest.rates, rates: corrected.rates }])
  })

  test('closes a gap from the 90-day file', async () => {
    const { cursor, newest } = await known()
    const missed = ['2026-04-14', '2026-04-15', '2026-04-16'].map(day => later(newest, day))
    const today = later(newest, '2026-04-17')
    upstream.files.set(daily, ecbXml(today))
    upstream.files.set(ninety, ecbXml(...missed.toReversed(), newest))
    const { days } = await poll(upstream, '2026-04-17T15:00:00Z', cursor)
    expect(days).toEqual([...missed, today])
    expect(upstream.asked()).toEqual([`200 ${daily}`, `200 ${ninety}`])
  })

  test('does not take weekends or Easter for a gap', async () => {
    const { newest } = await known()
    const cursor = { newest: later(newest, '2026-04-02'), complete: true, validators: {} }
    upstream.files.set(daily, ecbXml(later(newest, '2026-04-07')))
    await poll(upstream, '2026-04-07T15:00:00Z', cursor)
    expect(upstream.asked()).toEqual([`200 ${daily}`])
  })

  test('reads the history again after a gap longer than the 90-day file', async () => {
    const { newest } = await known()
    const cursor = { newest: later(newest, '2026-01-07'), complete: true, validators: {} }
    const { days } = await poll(upstream, evening, cursor)
    expect(upstream.asked()).toEqual([`200 ${daily}`, `200 ${ninety}`, `200 ${history}`])
    expect(days.map(({ day }) => day)).toContain('2026-01-08')
  })
})

describe('an impossible file is refused', () => {
  async function refused(body: string, reason: RegExp, now = '2026-04-14T15:00:00Z') {
    const { cursor } = await known()
    upstream.files.set(daily, body)
    const error = await poll(upstream, now, cursor).catch(error => error)
    expect(error).toBeInstanceOf(UpstreamFailed)
    expect(error.message).toMatch(reason)
    expect(error.message).toContain(daily)
  }
  const altered = async (day: string, rates: Record<string, string>) =>
    ecbXml(later((await known()).newest, day, rates))

  test('fewer than 25 currencies', async () => {
    const { newest } = await known()
    const rates = Object.fromEntries(Object.entries(newest.rates).slice(0, 24))
    await refused(ecbXml({ day: '2026-04-14', rates }), /24 currencies/)
  })
  test('a rate of 0', async () => refused(await altered('2026-04-14', { USD: '0.0000' }), /USD .*above 0/))
  test('a rate below 0', async () => refused(await altered('2026-04-14', { USD: '-1.17' }), /USD/))
  test('a rate that is not a number', async () => refused(await altered('2026-04-14', { USD: 'N/A' }), /USD/))
  test('a code that is not a code', async () => refused(await altered('2026-04-14', { usd: '1.17' }), /usd/))
  test('a move of more than 20 %', async () =>
    refused(
      await altered('2026-04-14', { USD: '1.4100' }),
      /USD moved too far from 2026-04-13 to 2026-04-14/,
    ))
  test('a lira that moves more than 30 %', async () =>
    refused(await altered('2026-04-14', { TRY: '68.0000' }), /TRY moved too far/))
  test('a correction that moves more than 20 %', async () =>
    refused(await altered('2026-04-13', { USD: '1.4100' }), /USD moved too far/))
  test('a date that goes backwards', async () => refused(await altered('2026-04-10', {}), /went back/))
  test('a date in the future', async () => refused(await altered('2026-04-15', {}), /future/))
  test('a date that does not exist', async () => refused(await altered('2026-02-30', {}), /2026-02-30/))
  test('two days in the daily file', async () => {
    const { newest } = await known()
    await refused(ecbXml(later(newest, '2026-04-14'), newest), /holds 2 days/)
  })
  test('no day at all', () => refused(ecbXml(), /holds 0 days/))
  test('a currency twice', async () => {
    const body = await altered('2026-04-14', {})
    await refused(body.replace('</Cube>', "<Cube currency='USD' rate='1.17'/></Cube>"), /twice/)
  })
  test('an HTML page', () => refused('<!DOCTYPE html><html><body>Sorry</body></html>', /document type/))
  test('an HTML page without a doctype', () =>
    refused('<html><body><p>Sorry</p></body></html>', /root <html>/))
  test('a page that is not XML', () => refused('<html><br></html>', /1:\d+/))
  test('nothing', () => refused('', /not the XML/))
  test('another root', () => refused('<rss><Cube/></rss>', /root <rss>/))
  test('a document cut short', async () => {
    const body = await altered('2026-04-14', {})
    await refused(body.slice(0, -200), /not the XML/)
  })
  test('an undeclared entity', async () => refused(await altered('2026-04-14', { USD: '&rate;' }), /entity/))
  test('an entity of its own', async () => {
    const body = await altered('2026-04-14', { USD: '&rate;' })
    await refused(body.replace('?>', '?><!DOCTYPE x [<!ENTITY rate "1.17">]>'), /document type/)
  })
  test('a history that is not an archive', async () => {
    upstream.files.set(history, '<html></html>')
    await expect(poll(upstream, evening)).rejects.toThrow(/hist\.zip is not a ZIP archive/)
  })

  test('except that 20 % is believed, and 30 % for the lira', async () => {
    const { cursor, newest } = await known()
    upstream.files.set(daily, ecbXml(later(newest, '2026-04-14', { USD: '1.4', TRY: '67.9' })))
    expect((await poll(upstream, '2026-04-14T15:00:00Z', cursor)).days).toHaveLength(1)
  })

  test('except that a larger move is believed once the next day confirms it', async () => {
    const { cursor, newest } = await known()
    const held = later(newest, '2026-04-14', { CHF: '0.6500' })
    const confirmed = later(newest, '2026-04-15', { CHF: '0.6600' })
    upstream.files.set(daily, ecbXml(confirmed))
    upstream.files.set(ninety, ecbXml(held, newest))
    const { days } = await poll(upstream, '2026-04-15T15:00:00Z', cursor)
    expect(days).toEqual([held, confirmed])

    const slip = later(newest, '2026-04-15', { CHF: newest.rates.CHF as string })
    upstream.files.set(daily, ecbXml(slip))
    await expect(poll(upstream, '2026-04-15T15:00:00Z', cursor)).rejects.toThrow(/CHF moved too far/)
  })
})

describe('the clock of Frankfurt', () => {
  const dueAt = (now: string, newest: string) =>
    ecb.due?.(Date.parse(now), { newest: { day: newest, rates: {} }, complete: true, validators: {} })

  test('polls every 5 minutes from 15:50 to 17:30 in summer', () => {
    expect(dueAt('2026-04-14T13:45:00Z', '2026-04-13')).toBe(false)
    expect(dueAt('2026-04-14T13:50:00Z', '2026-04-13')).toBe(true)
    expect(dueAt('2026-04-14T14:35:00Z', '2026-04-13')).toBe(true)
    expect(dueAt('2026-04-14T15:30:00Z', '2026-04-13')).toBe(true)
    expect(dueAt('2026-04-14T15:35:00Z', '2026-04-13')).toBe(false)
  })

  test('an hour later by UTC in winter, from the very day of the clock change', () => {
    for (const [friday, monday, open, shut] of [
      ['2026-10-23', '2026-10-26', '14:50', '13:50'],
      ['2027-03-25', '2027-03-30', '13:50', '15:35'],
    ]) {
      expect(dueAt(`${monday}T${open}:00Z`, friday as string)).toBe(true)
      expect(dueAt(`${monday}T${shut}:00Z`, friday as string)).toBe(false)
    }
  })

  test('stops once the day is there', () => {
    expect(dueAt('2026-04-14T14:05:00Z', '2026-04-14')).toBe(false)
    expect(dueAt('2026-04-14T15:00:00Z', '2026-04-14')).toBe(false)
  })

  test('otherwise polls hourly, at night and on days without rates', () => {
    for (const [hour, newest] of [
      ['2026-04-14T02', '2026-04-13'],
      ['2026-04-14T20', '2026-04-13'],
      ['2026-04-18T14', '2026-04-17'],
      ['2026-12-25T15', '2026-12-24'],
    ] as const) {
      expect(dueAt(`${hour}:00:02Z`, newest)).toBe(true)
      expect(dueAt(`${hour}:05:02Z`, newest)).toBe(false)
    }
  })

  test('does not wait with a gap, or without the history', () => {
    expect(dueAt('2026-04-14T02:35:00Z', '2026-04-10')).toBe(true)
    expect(ecb.due?.(Date.parse('2026-04-18T02:35:00Z'), undefined)).toBe(true)
  })
})

describe('bodies recorded from the live feed', () => {
  const sample = (samples: string, file: string) => readFileSync(`${samples}/a-ecb/${file}`)

  testRecorded('are read in both quote styles, with and without trailing zeros', async ({ samples }) => {
    for (const [file, day] of [
      ['daily/eurofxref-daily-2026-05-18.xml', '2026-05-18'],
      ['daily/eurofxref-daily-2015-01-16-dq.xml', '2015-01-16'],
      ['daily/eurofxref-daily-2022-03-04.xml', '2022-03-04'],
    ] as const) {
      upstream.files.set(daily, sample(samples, file))
      const whole = { newest: { day, rates: {} }, complete: true, validators: {} }
      const { days } = await poll(upstream, evening.replace('2026', '2027'), whole)
      expect(days.map(found => found.day)).toEqual([day])
    }
  })

  testRecorded('a whole history archive gives every day since 1999, in pages', async ({ samples }) => {
    upstream.files.set(history, sample(samples, 'histcsv/eurofxref-hist-2026-04-13.zip'))
    const { days } = await poll(upstream, evening)
    expect(days).toHaveLength(6983)
    expect(days[0]).toMatchObject({ day: '1999-01-04', rates: { USD: '1.1789', CYP: '0.58231' } })
    const pages = await Array.fromAsync(ecb.pull(undefined, upstream.outside(Date.parse(evening)), {}))
    expect(Math.max(...pages.map(({ events }) => events.length))).toBe(1_000)
    expect(pages.map(({ cursor }) => cursor.complete)).toEqual([...pages.slice(1).map(() => false), true])
  })
})

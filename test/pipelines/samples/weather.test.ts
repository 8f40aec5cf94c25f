import { afterEach, describe, expect, test } from 'vitest'
import { forecastLookup, placeLookup } from '../../../pipelines/lookups/forecast.ts'
import { geocodeLookup } from '../../../pipelines/lookups/geocode.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { alerts } from '../../../pipelines/sources/alerts.ts'
import { weatherAlerts } from '../../../schemas/weather-alerts.ts'
import { readConfig } from '../../../services/config/config.ts'
import { startUpstreams } from '../../../services/sandbox/upstreams.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function offline(now: number): Promise<Outside> {
  const live = readConfig({}).upstreams
  const found = await startUpstreams(live, {}, { now: () => now, live: async () => false })
  closing.push(found.close)
  const options = { at: { ...live, ...found.urls }, contact: 'nobody', now: () => now }
  return createOutside(options)(new AbortController().signal)
}

describe('the sample weather', () => {
  test.each([
    [38.8894, -77.0352, 'LWX/96,71', '2026-03-08T06:59:00Z'],
    [13.49, 144.8, 'GUM/52,74', '2026-11-21T23:59:00Z'],
    [61.2, -149.9, 'AER/143,236', '2026-07-01T12:00:00Z'],
  ])('has a week of forecast from now on at %d,%d', async (lat, lon, cell, time) => {
    const now = Date.parse(time)
    const outside = await offline(now)
    expect(await placeLookup.open({}).find({ lat, lon }, outside)).toMatchObject({ cell })
    const forecast = await forecastLookup.open({}).find(cell, outside)
    const periods = forecast?.periods ?? []
    expect(periods).toHaveLength(14)
    expect(Date.parse(periods[0]?.start ?? '')).toBeLessThanOrEqual(now)
    expect(Date.parse(periods[0]?.end ?? '')).toBeGreaterThan(now)
    expect(periods[1]?.start).toBe(periods[0]?.end)
    expect(Date.parse(forecast?.updated ?? '')).toBeLessThanOrEqual(now)
  })

  test('has alerts that are in force', async () => {
    const now = Date.parse('2026-11-21T23:59:00Z')
    const pages = []
    for await (const page of alerts.pull(undefined, await offline(now), {})) pages.push(...page.events)
    expect(pages).toHaveLength(3)
    for (const { event } of pages) {
      const alert = weatherAlerts.event.parse(event)
      expect(Date.parse(alert.expires_at)).toBeGreaterThan(now)
    }
  })
})

test('the sample addresses are geocoded, and others are not', async () => {
  const outside = await offline(Date.parse('2026-11-21T12:00:00Z'))
  const found = await geocodeLookup
    .open({})
    .find('1600 Pennsylvania Avenue NW, Washington, DC 20500', outside)
  expect(found?.matches[0]).toMatchObject({ county_fips: '11001', census_tract: '11001006202', zip: '20502' })
  expect(await geocodeLookup.open({}).find('1 Nowhere St, Boston, MA', outside)).toEqual({
    matches: [],
    hint: null,
  })
  expect((await geocodeLookup.open({}).find('48104', outside))?.hint).toMatch(/^Specify House number/)
})

import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { groundLookup } from '../../../../pipelines/lookups/geocode.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { geocodePoints } from '../../../../schemas/geocode-points.ts'
import { geocodeReverse } from '../../../../services/origins/data/geocode/geocode-reverse.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { startCensus } from '../../../pipelines/lookups/census-upstream.ts'
import { hurried, openFinding } from '../../../pipelines/lookups/finding.ts'
import { until } from '../../../until.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')
/** In the geocoder's own form, with some of its other layers. */
const washington = {
  'Combined Statistical Areas': [
    { GEOID: '548', NAME: 'Washington-Baltimore-Arlington, DC-MD-VA-WV-PA CSA' },
  ],
  'Incorporated Places': [{ GEOID: '1150000', NAME: 'Washington city', BASENAME: 'Washington' }],
  Counties: [{ GEOID: '11001', NAME: 'District of Columbia', STATE: '11', COUNTY: '001' }],
  'Census Tracts': [{ GEOID: '11001006202', NAME: 'Census Tract 62.02', TRACT: '006202' }],
  '2020 Census Blocks': [{ GEOID: '110010062021031', NAME: 'Block 1031', BLKGRP: '1' }],
  '119th Congressional Districts': [{ GEOID: '1198', NAME: 'Delegate District (at Large)', CDSESSN: '119' }],
  States: [{ GEOID: '11', NAME: 'District of Columbia', STUSAB: 'DC' }],
}
const input = { benchmark: { id: '4', benchmarkName: 'Public_AR_Current' } }

async function over(geographies: object | undefined) {
  const census = await startCensus((_, response) => {
    if (geographies) return JSON.stringify({ result: { input, geographies } })
    response.statusCode = 503
    return 'maintenance'
  })
  const finding = await openFinding([groundLookup], {
    at: { CENSUS_URL: census.url },
    datasets: [geocodePoints],
    now,
    waiting: hurried(now),
  })
  return { census, finding, asking: { shelf: new Shelf(now), now, find: finding.finder.find } }
}
const asked = ({ url = '' }: Pick<IncomingMessage, 'url'>) => new URL(url, 'http://census')

describe('/geocode/reverse', () => {
  test('is the example, asked for with longitude as x', async () => {
    const { asking, census } = await over(washington)
    const { request, response } = geocodeReverse.example
    expect(await ask(geocodeReverse, request, asking)).toEqual(response)
    const url = asked(census.asked[0] ?? {})
    expect(url.pathname).toBe('/geocoder/geographies/coordinates')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      x: '-77.03535',
      y: '38.89875',
      benchmark: 'Public_AR_Current',
      vintage: 'Current_Current',
      format: 'json',
    })
  })

  test('treats missing or strange layers as unknown', async () => {
    const { States, Counties } = washington
    const { asking } = await over({
      States,
      Counties,
      'Census Tracts': [],
      '2020 Census Blocks': [{ GEOID: 7 }],
    })
    expect(await ask(geocodeReverse, { lat: 38.9, lon: -77 }, asking)).toMatchObject({
      state: 'DC',
      county_fips: '11001',
      census_tract: null,
      block_group: null,
      block: null,
      congressional_district: null,
      place: null,
    })
  })

  test('is asked for once per metre, and kept under a hash alone', async () => {
    const { asking, census, finding } = await over(washington)
    await ask(geocodeReverse, { lat: 38.9000001, lon: -77 }, asking)
    await ask(geocodeReverse, { lat: 38.9, lon: -77.0000001 }, asking)
    expect(census.asked).toHaveLength(1)
    const told: string[] = []
    const watching = await finding.log.watch(geocodePoints.topic, batch => {
      for (const { key, value } of batch) told.push(`${key} ${value}`)
    })
    await until(() => told.length === 1)
    await watching.close()
    expect(told[0]).toMatch(/^[0-9a-f]{64} /)
    expect(told[0]).not.toContain('38.9')
  })

  test('outside_coverage: not in the US, by our own map or by the geocoder’s', async () => {
    const { asking, census } = await over({ States: [] })
    expect(await refusal(geocodeReverse, { lat: 51.5, lon: -0.12 }, asking)).toMatchObject({
      status: 422,
      error: 'outside_coverage',
    })
    expect(census.asked).toEqual([])
    for (const _ of [1, 2])
      expect(await refusal(geocodeReverse, { lat: 32.5, lon: -117.02 }, asking)).toMatchObject({
        error: 'outside_coverage',
      })
    expect(census.asked).toHaveLength(1)
  })

  test('a geocoder that fails is a free 502', async () => {
    const { asking } = await over(undefined)
    await expect(ask(geocodeReverse, { lat: 38.9, lon: -77 }, asking)).rejects.toThrow(UpstreamFailed)
  })

  test.each([{}, { lat: 1 }, { lat: 91, lon: 0 }, { lat: 1, lon: 181 }, { lat: '1°', lon: 1 }])(
    '%j is not a question',
    async body => {
      const { asking } = await over(washington)
      await expect(ask(geocodeReverse, body, asking)).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )
})

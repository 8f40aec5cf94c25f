import { describe, expect, test } from 'vitest'
import { geocodeLookup } from '../../../../pipelines/lookups/geocode.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { geocodes } from '../../../../schemas/geocodes.ts'
import { geocode } from '../../../../services/origins/data/geocode/geocode.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { type MatchGiven, reply, startCensus } from '../../../pipelines/lookups/census-upstream.ts'
import { hurried, openFinding } from '../../../pipelines/lookups/finding.ts'
import { ask, askText } from '../ask.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')

async function over(answer: Parameters<typeof startCensus>[0]) {
  const census = await startCensus(answer)
  const at = { CENSUS_URL: census.url }
  const { finder } = await openFinding([geocodeLookup], {
    at,
    datasets: [geocodes],
    now,
    waiting: hurried(now),
  })
  return { census, asking: { shelf: new Shelf(now), now, find: finder.find } }
}
const matching = (...matches: MatchGiven[]) => over(address => reply(matches, address))

describe('/geocode', () => {
  test('answers with the match, its geographies and the notice, digit by digit', async () => {
    const { asking } = await matching({
      matchedAddress: '100 JOE NUXHALL WAY, CINCINNATI, OH, 45202',
      x: -84.50827551429869,
      y: 39.09612212505558,
      tract: '39061026500',
      county: 'Hamilton County',
      block: '390610265001004',
      district: '3901',
    })
    const text = await askText(geocode, { address: ' 100 Joe Nuxhall Way,\nCincinnati, OH 45202' }, asking)
    const best =
      '{"matched_address":"100 JOE NUXHALL WAY, CINCINNATI, OH, 45202","lat":39.096122,"lon":-84.508276,' +
      '"street":"100 JOE NUXHALL WAY","city":"CINCINNATI","state":"OH","zip":"45202","county":"Hamilton County",' +
      '"county_fips":"39061","state_name":"State OH","census_tract":"39061026500",' +
      '"block_group":"390610265001","congressional_district":"3901","match_quality":"exact"}'
    expect(text).toBe(
      `{"input":"100 Joe Nuxhall Way, Cincinnati, OH 45202","best":${best},"matches":[${best}],"match_count":1,` +
        '"source":"US Census Bureau Geocoder (Public_AR_Current)",' +
        '"notice":"This product uses the Census Bureau Data API but is not endorsed or certified by the Census Bureau."}',
    )
  })

  test('lists a tie, and treats what the layers lack as unknown', async () => {
    const { asking } = await matching(
      { matchedAddress: '5 E 1ST ST, LEE, MA, 01001' },
      { matchedAddress: '5 W 1ST ST, LEE, MA, 01001' },
    )
    const answer = await ask(geocode, { address: '5 1st St, Lee, MA' }, asking)
    expect(answer).toMatchObject({
      match_count: 2,
      best: { county: null, county_fips: null, census_tract: null },
    })
    expect(answer.matches.map(match => match.street)).toEqual(['5 E 1ST ST', '5 W 1ST ST'])
  })

  test.each([
    ['5 Main St, Lee, MA 01238', 'exact'],
    ['5 Main St, Lee, MA', 'exact'],
    ['5 Main St, Lee, MA 01001', 'zip_differs'],
    ['5 Main St, Lenox, MA 01238', 'city_differs'],
    ['5 Main St, Lenox, MA 01001', 'weak'],
    ['7 Main St, Lee, MA 01238', 'weak'],
  ])('%s is matched: %s', async (address, quality) => {
    const { asking } = await matching({ matchedAddress: '5 MAIN ST, LEE, MA, 01238' })
    expect((await ask(geocode, { address }, asking)).best.match_quality).toBe(quality)
  })

  test('no_match: the geocoder knows none', async () => {
    const { asking } = await matching()
    await expect(
      ask(geocode, { address: '99999 Nonexistent Fake St, Nowhere, ZZ 00000' }, asking),
    ).rejects.toMatchObject({ code: 'no_match', status: 422 })
  })

  test('no_match: the geocoder cannot read it, and says what it misses', async () => {
    const { asking } = await over((_, response) => {
      response.statusCode = 400
      return '{"errors":["Specify House number and Street name along with City and State and/or ZIP Code"],"status":"400"}'
    })
    await expect(ask(geocode, { address: '48104' }, asking)).rejects.toMatchObject({
      code: 'no_match',
      message: expect.stringContaining('Specify House number'),
    })
  })

  test('no_match: the only match is in another state', async () => {
    const { asking } = await matching({ matchedAddress: '5 MAIN ST, SPRINGFIELD, MA, 01101' })
    const asked = ask(geocode, { address: '5 Main St, Springfield, IL' }, asking)
    await expect(asked).rejects.toMatchObject({ code: 'no_match' })
  })

  test('a geocoder that fails is a free 502', async () => {
    const { asking } = await over((_, response) => {
      response.statusCode = 503
      return 'maintenance'
    })
    await expect(ask(geocode, { address: '1 A St, Lee, MA' }, asking)).rejects.toThrow(UpstreamFailed)
  })

  test.each([
    {},
    { address: '' },
    { address: ' \n\u0007, ' },
    { address: 'x'.repeat(201) },
    { address: 12 },
    { address: null },
    { address: '1 A St, Lee, MA', zip: '01238' },
  ])('%j is not a question', async body => {
    const { asking, census } = await matching()
    await expect(ask(geocode, body, asking)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(census.asked).toEqual([])
  })

  test('200 characters are an address, whatever stands around them', async () => {
    const { asking } = await matching({ matchedAddress: '5 MAIN ST, LEE, MA, 01238' })
    const address = '5 Main St, Lee, MA'.padStart(200, '5')
    expect((await ask(geocode, { address: `  ${address}\n` }, asking)).input).toBe(address)
  })
})

test('the example is an answer', () => {
  expect(geocode.response.parse(geocode.example.response)).toEqual(geocode.example.response)
  expect(geocode.about.length).toBeLessThanOrEqual(450)
})

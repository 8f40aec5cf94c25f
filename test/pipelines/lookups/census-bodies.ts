/** Replies of the Census geocoder, in its format. */
export interface MatchGiven {
  matchedAddress: string
  x?: number
  y?: number
  /** GEOIDs of state, county and tract. Absent: the layers are empty. */
  tract?: string
  county?: string
  /** GEOIDs in layers whose names change. */
  block?: string
  district?: string
}

export const reply = (matches: readonly MatchGiven[], address = ''): string =>
  JSON.stringify({
    result: {
      input: { address: { address }, benchmark: { id: '4', benchmarkName: 'Public_AR_Current' } },
      addressMatches: matches.map(
        ({ matchedAddress, x = -77.03535, y = 38.898754, tract, county, block, district }) => {
          const [, city = '', state = '', zip = ''] = matchedAddress.split(',').map(part => part.trim())
          return {
            tigerLine: { side: 'L', tigerLineId: '1' },
            coordinates: { x, y },
            addressComponents: { zip, city, state, fromAddress: '1', toAddress: '9998', streetName: 'ANY' },
            matchedAddress,
            geographies: tract
              ? {
                  States: [{ GEOID: tract.slice(0, 2), NAME: `State ${state}`, STUSAB: state }],
                  Counties: [{ GEOID: tract.slice(0, 5), NAME: county }],
                  'Census Tracts': [{ GEOID: tract, NAME: 'Census Tract 62.02', BASENAME: '62.02' }],
                  ...(block && { '2020 Census Blocks': [{ GEOID: block, NAME: 'Block', SUFFIX: '' }] }),
                  ...(district && { '120th Congressional Districts': [{ GEOID: district, CDSESSN: '120' }] }),
                  'Combined Statistical Areas': [{ GEOID: 548, NAME: null }],
                }
              : { States: [], 'Census Tracts': [] },
          }
        },
      ),
    },
  })

/** A few public addresses in the format of the Census geocoder. Any other address has no match. */
import type { Sample } from '../rails/outside/upstreams/upstream.ts'

interface Known {
  address: [street: string, city: string, state: string, zip: string]
  at: [lon: number, lat: number]
  county: string
  stateName: string
  tract: string
  block: string
  district: string
}

const known: readonly Known[] = [
  {
    address: ['1600 PENNSYLVANIA AVE NW', 'WASHINGTON', 'DC', '20502'],
    at: [-77.03535, 38.898754],
    county: 'District of Columbia',
    stateName: 'District of Columbia',
    tract: '11001006202',
    block: '1031',
    district: '1198',
  },
  {
    address: ['4600 SILVER HILL RD', 'WASHINGTON', 'DC', '20233'],
    at: [-76.927436, 38.845987],
    county: "Prince George's County",
    stateName: 'Maryland',
    tract: '24033802405',
    block: '2003',
    district: '2404',
  },
  {
    address: ['100 JOE NUXHALL WAY', 'CINCINNATI', 'OH', '45202'],
    at: [-84.508276, 39.096122],
    county: 'Hamilton County',
    stateName: 'Ohio',
    tract: '39061026500',
    block: '1004',
    district: '3901',
  },
]

const benchmarks = [{ id: '4', benchmarkName: 'Public_AR_Current', isDefault: true }]

/** Finds an address by its house number and the first word of the street. The real geocoder is about as tolerant. */
const start = (address: string): string =>
  address
    .toUpperCase()
    .split(/[\s,]+/)
    .slice(0, 2)
    .join(' ')

const layersOf = ({ address: [, city, state], county, stateName, tract, block, district }: Known) => ({
  States: [{ GEOID: tract.slice(0, 2), NAME: stateName, STUSAB: state }],
  Counties: [{ GEOID: tract.slice(0, 5), NAME: county }],
  'Census Tracts': [{ GEOID: tract, NAME: 'Census Tract' }],
  '2020 Census Blocks': [{ GEOID: `${tract}${block}`, NAME: `Block ${block}` }],
  '120th Congressional Districts': [{ GEOID: district }],
  'Incorporated Places': [{ NAME: `${city[0]}${city.slice(1).toLowerCase()} city` }],
})

/** A point of the sample lies near a known address, or in no state. */
function pointOf(x: number, y: number) {
  const near = known.find(({ at: [lon, lat] }) => Math.hypot(lon - x, lat - y) < 0.5)
  return JSON.stringify({ result: { geographies: near ? layersOf(near) : {} } })
}

export const sample: Sample = ({ path, query }) => {
  if (path === '/geocoder/benchmarks') return { body: JSON.stringify({ benchmarks }) }
  if (!path.startsWith('/geocoder/geographies/')) return undefined
  if (path.endsWith('/coordinates')) return { body: pointOf(Number(query.get('x')), Number(query.get('y'))) }
  const asked = query.get('address') ?? query.get('street') ?? ''
  if (!/\d+\s+\S+.*[\s,]\S+/.test(asked))
    return {
      status: 400,
      body: JSON.stringify({
        errors: ['Specify House number and Street name along with City and State and/or ZIP Code'],
        status: '400',
      }),
    }
  const addressMatches = known
    .filter(({ address: [street] }) => start(street) === start(asked))
    .map(place => ({
      coordinates: { x: place.at[0], y: place.at[1] },
      addressComponents: { city: place.address[1], state: place.address[2], zip: place.address[3] },
      matchedAddress: place.address.join(', '),
      geographies: layersOf(place),
    }))
  return { body: JSON.stringify({ result: { input: { address: { address: asked } }, addressMatches } }) }
}

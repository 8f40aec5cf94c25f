/** Cities of the sample weather, with realistic cells and zones. */
export interface City {
  name: string
  state: string
  lat: number
  lon: number
  cell: [office: string, x: number, y: number]
  zones: [forecast: string, county: string, fire: string]
  timeZone: string
  high: number
}

const city = (
  name: string,
  state: string,
  at: [lat: number, lon: number],
  cell: City['cell'],
  zones: City['zones'],
  timeZone: string,
  high: number,
): City => ({ name, state, lat: at[0], lon: at[1], cell, zones, timeZone, high })

export const cities = [
  city(
    'Washington',
    'DC',
    [38.895, -77.036],
    ['LWX', 96, 71],
    ['DCZ001', 'DCC001', 'DCZ001'],
    'America/New_York',
    55,
  ),
  city(
    'New York',
    'NY',
    [40.713, -74.006],
    ['OKX', 33, 36],
    ['NYZ072', 'NYC061', 'NYZ212'],
    'America/New_York',
    50,
  ),
  city(
    'Miami',
    'FL',
    [25.762, -80.192],
    ['MFL', 110, 50],
    ['FLZ173', 'FLC086', 'FLZ173'],
    'America/New_York',
    80,
  ),
  city(
    'Chicago',
    'IL',
    [41.878, -87.63],
    ['LOT', 76, 73],
    ['ILZ104', 'ILC031', 'ILZ104'],
    'America/Chicago',
    42,
  ),
  city(
    'Houston',
    'TX',
    [29.76, -95.369],
    ['HGX', 65, 97],
    ['TXZ213', 'TXC201', 'TXZ213'],
    'America/Chicago',
    71,
  ),
  city(
    'Linn',
    'KS',
    [39.746, -97.089],
    ['TOP', 31, 80],
    ['KSZ009', 'KSC201', 'KSZ009'],
    'America/Chicago',
    48,
  ),
  city(
    'Denver',
    'CO',
    [39.739, -104.985],
    ['BOU', 62, 60],
    ['COZ040', 'COC031', 'COZ240'],
    'America/Denver',
    46,
  ),
  city(
    'Phoenix',
    'AZ',
    [33.448, -112.074],
    ['PSR', 159, 58],
    ['AZZ543', 'AZC013', 'AZZ133'],
    'America/Phoenix',
    74,
  ),
  city(
    'Los Angeles',
    'CA',
    [34.052, -118.244],
    ['LOX', 154, 44],
    ['CAZ368', 'CAC037', 'CAZ368'],
    'America/Los_Angeles',
    70,
  ),
  city(
    'Seattle',
    'WA',
    [47.606, -122.332],
    ['SEW', 124, 67],
    ['WAZ315', 'WAC033', 'WAZ654'],
    'America/Los_Angeles',
    49,
  ),
  city(
    'Anchorage',
    'AK',
    [61.218, -149.9],
    ['AER', 143, 236],
    ['AKZ701', 'AKC020', 'AKZ701'],
    'America/Anchorage',
    24,
  ),
  city(
    'Honolulu',
    'HI',
    [21.307, -157.858],
    ['HFO', 154, 144],
    ['HIZ033', 'HIC003', 'HIZ033'],
    'Pacific/Honolulu',
    83,
  ),
  city(
    'San Juan',
    'PR',
    [18.466, -66.106],
    ['SJU', 135, 113],
    ['PRZ001', 'PRC127', 'PRZ001'],
    'America/Puerto_Rico',
    85,
  ),
  city(
    'Tamuning',
    'GU',
    [13.488, 144.777],
    ['GUM', 52, 74],
    ['GUZ001', 'GUC010', 'GUZ001'],
    'Pacific/Guam',
    86,
  ),
] as const

/** Alerts in the GeoJSON of the NWS. A test sets the fields that it needs. */
export interface AlertGiven {
  id: string
  event?: string
  zones?: string[]
  ugc?: string[]
  ring?: [number, number][]
  [property: string]: unknown
}

export const alertFeature = ({
  id,
  event = 'Wind Advisory',
  zones = [],
  ugc,
  ring,
  ...others
}: AlertGiven) => ({
  id: `https://api.weather.gov/alerts/${id}`,
  type: 'Feature',
  geometry: ring ? { type: 'Polygon', coordinates: [ring] } : null,
  properties: {
    id,
    areaDesc: id,
    geocode: { SAME: [], UGC: ugc ?? zones.map(zone => zone.split('/')[1]) },
    affectedZones: zones.map(zone => `https://api.weather.gov/zones/${zone}`),
    references: [],
    sent: '2026-11-21T06:00:00-05:00',
    effective: '2026-11-21T06:00:00-05:00',
    onset: '2026-11-21T07:00:00-05:00',
    expires: '2026-11-21T19:00:00-05:00',
    ends: null,
    status: 'Actual',
    messageType: 'Alert',
    category: 'Met',
    severity: 'Moderate',
    certainty: 'Likely',
    urgency: 'Expected',
    event,
    senderName: 'NWS Baltimore MD/Washington DC',
    headline: `${event} issued`,
    parameters: {},
    ...others,
  },
})

export const alertCollection = (...alerts: AlertGiven[]): string =>
  JSON.stringify({ type: 'FeatureCollection', features: alerts.map(alertFeature), title: 'Current watches' })

/** Bodies of the National Weather Service, in its format. */
export type Told = { status?: number; body: string; headers?: Record<string, string> }

export const pointBody = (cell: string | null, others: Record<string, unknown> = {}): string => {
  const [office, grid] = cell?.split('/') ?? ['PPG', '1,1']
  const [gridX, gridY] = (grid as string).split(',').map(Number)
  return JSON.stringify({
    type: 'Feature',
    properties: {
      cwa: office,
      gridId: office,
      gridX,
      gridY,
      forecast: cell && `https://api.weather.gov/gridpoints/${cell}/forecast`,
      relativeLocation: { type: 'Feature', properties: { city: 'Washington', state: 'DC' } },
      forecastZone: 'https://api.weather.gov/zones/forecast/DCZ001',
      county: 'https://api.weather.gov/zones/county/DCC001',
      fireWeatherZone: 'https://api.weather.gov/zones/fire/DCZ001',
      timeZone: 'America/New_York',
      ...others,
    },
  })
}

/** Fourteen periods of 12 hours, from a given time. */
export function forecastBody(
  from: number,
  updated: number,
  count = 14,
  others: Record<string, unknown> = {},
): string {
  const halfDayMs = 12 * 3_600_000
  const local = (at: number) => `${new Date(at - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`
  return JSON.stringify({
    type: 'Feature',
    properties: {
      units: 'us',
      generatedAt: new Date(updated + 60_000).toISOString(),
      updateTime: `${new Date(updated).toISOString().slice(0, 19)}+00:00`,
      periods: Array.from({ length: count }, (_, i) => ({
        number: i + 1,
        name: `Period ${i + 1}`,
        startTime: local(from + i * halfDayMs),
        endTime: local(from + (i + 1) * halfDayMs),
        isDaytime: i % 2 === 0,
        temperature: 50 + i,
        temperatureUnit: 'F',
        temperatureTrend: null,
        probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: i === 0 ? null : i * 5 },
        windSpeed: '6 to 10 mph',
        windDirection: 'WNW',
        shortForecast: 'Sunny',
        detailedForecast: `Sunny, with a high near ${50 + i}.`,
        ...others,
      })),
    },
  })
}

const problemOf = (status: number, type: string, title: string): Told => ({
  status,
  body: JSON.stringify({ title, type: `https://api.weather.gov/problems/${type}`, status, detail: title }),
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'public, max-age=865' },
})
export const problems = {
  noPoint: problemOf(404, 'InvalidPoint', 'Data Unavailable For Requested Point'),
  marine: problemOf(404, 'MarineForecastNotSupported', 'Marine Forecast Not Supported'),
  expiredGrid: problemOf(503, 'ForecastGridExpired', 'Forecast Grid Expired'),
  unavailable: problemOf(503, 'UnavailableWebService', 'Service Unavailable'),
  unexpected: problemOf(500, 'UnexpectedProblem', 'Unexpected Problem'),
  forbidden: { status: 403, body: '<html>Access Denied</html>' } as Told,
}

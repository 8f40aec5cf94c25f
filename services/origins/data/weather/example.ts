/** An answer of /weather. */
export const answer = {
  location: { city: 'Washington', state: 'DC', lat: 38.8894, lon: -77.0352, time_zone: 'America/New_York' },
  forecast: [
    {
      name: 'Tonight',
      start: '2026-11-20T18:00:00-05:00',
      end: '2026-11-21T06:00:00-05:00',
      temperature: 41,
      temperature_unit: 'F',
      precipitation_chance: 20,
      wind: '6 to 10 mph',
      wind_direction: 'WNW',
      summary: 'Partly Cloudy',
      detail: 'Partly cloudy, with a low around 41. West northwest wind 6 to 10 mph.',
    },
  ],
  alerts: [
    {
      event: 'Wind Advisory',
      severity: 'Moderate',
      headline: 'Wind Advisory issued November 20 at 2:11PM EST until November 21 at 8:00PM EST',
      expires: '2026-11-21T03:15:00-05:00',
      ends: '2026-11-21T20:00:00-05:00',
    },
  ],
  forecast_updated: '2026-11-20T21:04:11+00:00',
}

/** What sunrise.yaml sells: how long the day is at a latitude, computed here. */
import { defineOperation } from 'farebox'

const tilt = 23.44
const radians = (degrees: number) => (degrees * Math.PI) / 180

export default defineOperation<{ latitude: number; day: string }, 'no_sunrise'>({
  answer({ latitude, day }, { refuse }) {
    const [year] = day.split('-')
    const since = (Date.parse(day) - Date.parse(`${year}-01-01`)) / 86_400_000
    const declination = -tilt * Math.cos(radians((360 / 365) * (since + 10)))
    const cosine = -Math.tan(radians(latitude)) * Math.tan(radians(declination))
    if (Math.abs(cosine) > 1) return refuse('no_sunrise')
    return { hours: Number(((2 * Math.acos(cosine) * 12) / Math.PI).toFixed(2)) }
  },
})

/** `npm run bench` prints figures as ratios, measured in one run. Each server has its own process. */
import { events } from './events.ts'
import { market } from './market.ts'
import { profile } from './profile.ts'
import { rates } from './rates.ts'
import { sec } from './sec.ts'
import { weather } from './weather.ts'

const benches = { rates, profile, sec, events, weather, market }
const asked = process.argv.slice(2)
for (const [name, bench] of Object.entries(benches)) if (!asked.length || asked.includes(name)) await bench()

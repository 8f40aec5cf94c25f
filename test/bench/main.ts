/** `npm run bench` prints figures as ratios, measured in one run. Each server has its own process. */
import { analysts } from './analysts.ts'
import { attest } from './attest.ts'
import { capacity } from './capacity.ts'
import { chain } from './chain.ts'
import { door } from './door.ts'
import { events } from './events.ts'
import { facts } from './facts.ts'
import { honeypots } from './honeypots.ts'
import { ingest } from './ingest.ts'
import { log } from './log.ts'
import { market } from './market.ts'
import { pages } from './pages.ts'
import { products } from './products.ts'
import { profile } from './profile.ts'
import { rates } from './rates.ts'
import { reading } from './reading.ts'
import { sec } from './sec.ts'
import { sell } from './sell.ts'
import { settling } from './settling.ts'
import { shelf } from './shelf.ts'
import { sizes } from './sizes.ts'
import { soak } from './soak.ts'
import { starts } from './starts.ts'
import { watch } from './watch.ts'
import { weather } from './weather.ts'
import { web } from './web.ts'
import { workers } from './workers.ts'

const benches = {
  rates,
  capacity,
  profile,
  workers,
  starts,
  shelf,
  soak,
  log,
  sec,
  facts,
  ingest,
  events,
  weather,
  market,
  chain,
  honeypots,
  products,
  analysts,
  reading,
  sell,
  settling,
  sizes,
  web,
  door,
  attest,
  watch,
  pages,
}
/** They take half an hour, so they run only when they are asked for. */
const usual = Object.keys(benches).filter(name => name !== 'soak' && name !== 'facts')
const asked = process.argv.slice(2)
const wanted = asked.length ? asked : usual
for (const [name, bench] of Object.entries(benches)) if (wanted.includes(name)) await bench()

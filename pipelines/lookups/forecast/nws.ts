/** The API of the National Weather Service: how patiently we ask it, and which of its errors are answers. */
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Answer, Outside, Validators } from '../../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

export const nws: Upstream = {
  variable: 'NWS_URL',
  live: 'https://api.weather.gov',
  title: 'NWS weather',
  credit: 'US National Weather Service (api.weather.gov)',
  /** With this patience the service answered 99 to 100 of 100 questions. */
  patience: {
    timeoutMs: 5_000,
    pausesMs: [400, 800, 1_800],
    atOnce: 16,
    mostWaiting: 256,
    circuit: { failures: 10, openMs: 30_000 },
  },
  probe: { path: '/points/38.8894,-77.0352', proof: /"gridId"/ },
  sample: () => import('../../samples/weather.ts'),
}

const problem = /\/problems\/|"title"/
const expiredGrid = /GridExpired/

/** An office that has sent no new grid will not send one within seconds. So that error is an answer: we do not retry it. */
function isAnswer({ status, text }: Answer): boolean {
  const said = text()
  return (
    (status === 200 && said.includes('"properties"')) ||
    ((status === 404 || status === 400) && problem.test(said)) ||
    (status === 503 && expiredGrid.test(said))
  )
}

/** Always sends the same headers: other headers split the caches of the service, or bring back old copies. */
export async function askNws(path: string, outside: Outside, validators?: Validators): Promise<Answer> {
  const answer = await outside.get(nws, path, {
    accept: 'application/geo+json',
    validators,
    proof: isAnswer,
  })
  if (answer.status === 503) throw new UpstreamFailed('the office has not sent a new grid')
  return answer
}

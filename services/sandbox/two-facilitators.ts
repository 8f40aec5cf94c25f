/** The facilitators of the sandbox, and the address that has one of them stop, hang, slow down, lie, or work again. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { familyOf } from '../../schemas/tables/networks.ts'
import { facilitating } from './facilitator.ts'
import { json, type Loopback, type LoopbackAnswer, serveLoopback } from './loopback.ts'
import type { PlayChain } from './play-chain.ts'

/** stop: nobody listens any more; hang: it takes calls and says nothing; slow: it settles ten seconds late; lie: it settles nothing, and says that it has; delist: its catalog refuses what we sell. */
export const conducts = ['stop', 'hang', 'slow', 'lie', 'delist', 'work'] as const
type Conduct = (typeof conducts)[number]
/** Longer than a till waits for one while it has another. */
const slowMs = 10_000

interface PlayFacilitators {
  /** In the order in which the service asks them. */
  urls: readonly string[]
  /** `POST /1/stop` has the first one stop. */
  control: string
  close(): Promise<void>
}

interface PlayFacilitator {
  url: string
  become(conduct: Conduct): Promise<void>
  close(): Promise<void>
}

export async function startFacilitators(chains: readonly PlayChain[]): Promise<PlayFacilitators> {
  const all = [await startOne(chains, 'facilitator'), await startOne(chains, 'secondFacilitator')]
  const control = await serveLoopback(async ({ path }) => {
    const [, nth, wanted] = path.split('/')
    const conduct = conducts.find(each => each === wanted)
    const one = all[Number(nth) - 1]
    if (!conduct || !one) return { status: 404, body: json({ error: 'not found' }) }
    await one.become(conduct)
    return { body: json({ facilitator: one.url, conduct }) }
  })
  return {
    urls: all.map(({ url }) => url),
    control: control.url,
    close: async () => void (await Promise.all([control, ...all].map(each => each.close()))),
  }
}

async function startOne(
  chains: readonly PlayChain[],
  part: 'facilitator' | 'secondFacilitator',
): Promise<PlayFacilitator> {
  const work = await facilitating(chains, part)
  let conduct: Conduct = 'work'
  const answer: typeof work = async asked => {
    if (conduct === 'slow' && asked.path === '/settle') await sleep(slowMs, undefined, { ref: false })
    if (conduct === 'hang') return new Promise<LoopbackAnswer>(() => {})
    if (asked.path !== '/settle') return work(asked)
    const said = conduct === 'lie' ? lie(asked.body) : await work(asked)
    return { ...said, headers: { 'extension-responses': listed(conduct !== 'delist') } }
  }
  let server: Loopback | undefined = await serveLoopback(answer)
  const { url } = server
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  return {
    url,
    async become(wanted) {
      conduct = wanted
      if (wanted === 'stop') await stop()
      else server ??= await serveLoopback(answer, Number(new URL(url).port))
    },
    close: stop,
  }
}

/** What its catalog says of what was bought, in the form of the Bazaar. */
function listed(isTaken: boolean): string {
  const bazaar = isTaken
    ? { status: 'success' }
    : { status: 'rejected', rejectedReason: 'the sandbox has it refuse everything' }
  return Buffer.from(JSON.stringify({ bazaar })).toString('base64')
}

/** In the form of a transaction of its network. */
function lie(body: string): LoopbackAnswer {
  const { network } = (JSON.parse(body) as { paymentRequirements: { network: string } }).paymentRequirements
  const hex = randomBytes(32).toString('hex')
  const transaction =
    familyOf(network) === 'evm' ? `0x${hex}` : `${hex}${hex}`.replaceAll('0', 'z').slice(0, 88)
  return { body: json({ success: true, transaction, network }) }
}

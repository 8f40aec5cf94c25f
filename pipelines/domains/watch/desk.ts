/** Opens subscriptions for operations: it writes and reads the messages to sign, tests webhooks, and writes orders. */
import { randomUUID } from 'node:crypto'
import type { Dataset, Fields, RowOf } from '../../../schemas/dataset/dataset.ts'
import { families, familyOf, networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { watchOrders } from '../../../schemas/watch-subscriptions.ts'
import { asUpstreamFailed } from '../../rails/failures.ts'
import { firstIn } from '../../rails/log/events.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import { type Hook, type Posted, post } from '../../rails/outbox/post.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import type { Part } from '../../rails/process.ts'
import { checksummed, isSignedByEvm } from '../payments/evm/signed-text.ts'
import { hasKey, isSignedBySolana } from '../payments/svm/signed-text.ts'
import { networkVariables } from '../payments/variables.ts'
import { bodyOf, eventId } from './events.ts'
import { readMessage, type Signable, type WatchMessage, writeMessage } from './message.ts'
import { type Rhythm, watchRhythm } from './rounds.ts'
import type { Seal } from './seal.ts'
import { watchVariables } from './variables.ts'

interface DeskOptions {
  log: Log
  visits: PublicFetch
  watch: { seal: Seal; origin: string; rhythm?: Rhythm }
  /** The nodes of each network, by its CAIP-2 id. */
  nodes: ReadonlyMap<string, readonly string[]>
  now: () => number
}

export interface Desk {
  seal: Seal
  /** The address of the origin. */
  origin: string
  /** How often endpoints are checked. */
  rhythm?: Rhythm
  write(signable: Omit<Signable, 'origin'>): string
  read(text: string): WatchMessage | undefined
  /** Whether this address can sign at all. The address of a Solana program cannot. */
  canSign(network: string, address: string): boolean
  isSigned(message: WatchMessage, text: string, signature: string): Promise<boolean>
  /** Sends `endpoint.test`. */
  tryHook(hook: Hook, subscriptionId: string, data: Record<string, unknown>): Promise<Posted>
  /** Resolves once the log has the facts. */
  tell<F extends Fields>(dataset: Dataset<F>, ...events: readonly RowOf<F>[]): Promise<void>
  /** Whether this order is the first with its nonce, across all instances. It must be in the log. */
  isFirst(nonce: string, orderId: string): Promise<boolean>
  /**
   * Does the work of a message, once: `used` if an order has its nonce already, or another call is at work with it here.
   */
  once<T>(nonce: string, used: () => never, work: () => Promise<T>): Promise<T>
}

const hookMs = 10_000

export function openDesk({ log, visits, watch, nodes, now }: DeskOptions): Desk {
  const { seal, origin } = watch
  /** The nonces of the calls at work now. */
  const underWay = new Set<string>()

  return {
    ...watch,
    write: ({ address, ...signable }) => {
      const form = familyOf(signable.network) === 'evm' ? checksummed(address) : address
      return writeMessage({ ...signable, address: form, origin }, seal, now())
    },
    read: text => readMessage(text, seal),
    canSign: (network, address) => {
      if (network.startsWith('eip155:')) return families.evm.address.test(address)
      return network.startsWith('solana:') && hasKey(address)
    },
    async isSigned({ network, address }, text, signature) {
      if (familyOf(network) === 'svm') return isSignedBySolana(address, text, signature)
      try {
        return await isSignedByEvm({ address, text, signature }, nodes.get(network) ?? [])
      } catch (error) {
        // The nodes of the chain do not answer. Only they can check the signature of a contract.
        throw asUpstreamFailed(error, `the nodes of ${network}`)
      }
    },
    tryHook: (hook, subscription_id, data) => {
      const timestamp = instant(now())
      const body = bodyOf({ type: 'endpoint.test', timestamp, data: { subscription_id, ...data } })
      return post(
        visits,
        { ...hook, body },
        {
          id: eventId(subscription_id, 'endpoint.test', randomUUID()),
          sign: text => seal.sign(text),
          signal: AbortSignal.timeout(2 * hookMs),
          totalMs: hookMs,
          now,
        },
      )
    },
    tell: (dataset, ...events) =>
      log.append(
        dataset.topic,
        events.map(event => entryOf(dataset, dataset.event.parse(event))),
      ),
    isFirst: async (nonce, orderId) => (await firstWith(log, nonce)) === orderId,
    async once(nonce, used, work) {
      if (underWay.has(nonce)) return used()
      underWay.add(nonce)
      try {
        return (await firstWith(log, nonce)) === undefined ? await work() : used()
      } finally {
        underWay.delete(nonce)
      }
    },
  }
}

/** The id of the first order with this nonce. */
async function firstWith(log: Log, nonce: string): Promise<string | undefined> {
  return (await firstIn(log, watchOrders, nonce, order => order.nonce === nonce))?.order_id
}

/** Undefined if this deployment has no key for subscriptions. */
export const desk: Part<Desk | undefined> = {
  name: 'subscriptions',
  async open({ log, visits, now, read, use, addressOf }) {
    const seal = read(watchVariables)
    const nodes = new Map(read(networkVariables).map(({ name, rpcUrls }) => [networks[name].caip2, rpcUrls]))
    const watch = { seal, origin: addressOf('watch'), rhythm: await use(watchRhythm) }
    return seal && openDesk({ log, visits, watch: { ...watch, seal }, nodes, now })
  },
}

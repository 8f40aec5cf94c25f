/** Asks Solana whether sales still stand, by the commitment of their transactions, whatever version these have. */
import type { SvmNetworkName } from '../../../../schemas/tables/networks.ts'
import { Endpoints } from '../endpoints.ts'
import type { Paid, Standing } from '../standing.ts'
import { patientCall } from './rpc.ts'

interface StandingOptions {
  network: SvmNetworkName
  rpcUrls: readonly string[]
  perSecond: number
}

interface Status {
  slot: number
  err: unknown
  confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
}

/** A node tells of so many at once. */
const mostAtOnce = 256
/** A blockhash lives for about a minute. */
const lifeMs = 5 * 60_000

export function openSvmStanding({ network, rpcUrls, perSecond }: StandingOptions): Standing {
  const endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
  const rpc = <T>(signal: AbortSignal, method: string, ...params: unknown[]) =>
    endpoints.ask(url => patientCall<T>(url, method, params, signal), signal)

  /** Undefined: the chain has not taken it. */
  async function statusesOf(sales: readonly Paid[], signal: AbortSignal): Promise<(Status | undefined)[]> {
    const signatures = sales.map(({ tx }) => tx)
    const options = { searchTransactionHistory: true }
    const { value } = await rpc<{ value: (Status | null)[] }>(
      signal,
      'getSignatureStatuses',
      signatures,
      options,
    )
    if (value.length !== sales.length) throw new Error('getSignatureStatuses: not one status of each')
    return value.map(status => (status && status.err === null ? status : undefined))
  }

  const placeBy = ({ tx, atMs }: Paid, status: Status) => ({ tx, atMs, isFinal: isFinal(status) })
  const isFinal = (status: Status | undefined): boolean => status?.confirmationStatus === 'finalized'

  return {
    lifeMs,
    mostAtOnce,

    async look(signal) {
      const slot = await rpc<number>(signal, 'getSlot', { commitment: 'finalized' })
      return { finalMs: (await rpc<number>(signal, 'getBlockTime', slot)) * 1000, undoneMs: undefined }
    },

    async standing(sales, upTo, signal) {
      const statuses = await statusesOf(sales, signal)
      const stands = (status: Status | undefined) =>
        upTo === 'final' ? isFinal(status) : status !== undefined
      return new Set(sales.filter((_, i) => stands(statuses[i])))
    },

    async placesOf(sales, signal) {
      const statuses = await statusesOf(sales, signal)
      return new Map(
        sales.flatMap((sale, i) => {
          const status = statuses[i]
          return status ? [[sale, placeBy(sale, status)]] : []
        }),
      )
    },

    async gone(sales, signal) {
      const statuses = await statusesOf(sales, signal)
      return new Set(sales.filter((_, i) => statuses[i] === undefined))
    },

    async placeOf(sale, signal) {
      const [status] = await statusesOf([sale], signal)
      return status && placeBy(sale, status)
    },
  }
}

/** Asks Solana whether sales still stand, by the commitment of their transactions, whatever version these have. */
import type { Depth, Paid, Standing } from '../standing.ts'
import type { SvmReader, SvmStatus } from './reader.ts'

/** A node tells of so many at once. */
const mostAtOnce = 256
/** A blockhash lives for about a minute. */
const lifeMs = 5 * 60_000
/** What counts as so sure. */
const commitments: Record<Depth | 'latest', readonly SvmStatus['confirmationStatus'][]> = {
  latest: ['processed', 'confirmed', 'finalized', null],
  safe: ['confirmed', 'finalized'],
  final: ['finalized'],
}

export function openSvmStanding(reader: Pick<SvmReader, 'head' | 'statuses'>): Standing {
  const statusesOf = (sales: readonly Paid[], signal: AbortSignal) =>
    reader.statuses(
      sales.map(({ tx }) => tx),
      signal,
    )
  const placeBy = ({ tx, atMs }: Paid, status: SvmStatus) => ({ tx, atMs, isFinal: isAs('final', status) })
  const isAs = (depth: Depth | 'latest', status: SvmStatus | undefined): boolean =>
    status !== undefined && commitments[depth].includes(status.confirmationStatus)

  return {
    lifeMs,
    mostAtOnce,

    async look(signal) {
      const final = await reader.head('finalized', signal)
      const confirmed = await reader.head('confirmed', signal)
      return { finalMs: final.atMs, safeMs: Math.max(final.atMs, confirmed.atMs), undoneMs: undefined }
    },

    async standing(sales, upTo, signal) {
      const statuses = await statusesOf(sales, signal)
      return new Set(sales.filter((_, i) => isAs(upTo, statuses[i])))
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

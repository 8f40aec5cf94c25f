/**
 * Reads payments on Solana from final transactions: the newest first, then the gaps.
 * Every window overlaps the last one.
 */
import { networks } from '../../../schemas/tables/networks.ts'
import type { SvmReader } from '../../domains/payments/svm/reader.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { metrics } from '../../rails/metrics.ts'
import type { PollPage, Source } from '../source.ts'
import { paymentDatasets, paymentsIn } from './rows.ts'
import type { SellerWallets } from './sellers.ts'
import { anew, begun, measureGaps, newestOf, paceMs, planned, type SvmReadState } from './svm/state.ts'
import { type SvmStep, type SvmStepSight, step } from './svm/step.ts'

/** After this part of a poll, the rest waits for the next poll. */
const readingMs = 240_000
/** A window with a larger unread share is not complete. */
const mostUnread = 0.01

export function svmPayments(reader: SvmReader, sellers: SellerWallets): Source<SvmReadState> {
  const { network } = reader
  return {
    name: paymentsIn(network),
    upstreams: [],
    writes: paymentDatasets,
    schedule: '* * * * *',
    timeoutMs: 600_000,
    silentAfterMs: 30 * 60_000,

    due: (now, state) =>
      !state || Boolean(state.window) || state.gaps.length > 0 || now - state.readAt >= paceMs(state.wallets),

    async *pull(cursor, { now, signal }) {
      const startedAt = now()
      const genesis = await reader.genesis(signal)
      const named = await sellers.named(networks[network].caip2)
      const sight: SvmStepSight = { reader, named, final: await reader.head('finalized', signal), signal }
      // Play-money chains begin again at every start.
      const before = cursor?.genesis === genesis ? cursor : begun(genesis, sight.final, named)
      let state = planned(before, sight.final, named, startedAt)
      const keep = (events: SvmStep['events'], next: SvmReadState): PollPage<SvmReadState> => {
        state = next
        measureGaps(network, state, sight.final)
        return { events, cursor: state }
      }

      while (now() - startedAt < readingMs) {
        const [gap, ...gaps] = state.gaps
        const window = state.window ?? gap
        if (!window) break
        const isGap = !state.window
        const { events, window: left, told } = await step(window, isGap ? {} : state.told, sight)
        const failed = !left && window.unread > mostUnread * window.read
        const rest = isGap
          ? { gaps: left ? [left, ...gaps] : failed ? [...gaps, anew(window)] : gaps }
          : { window: left, ...(failed && { gaps: [...state.gaps, anew(window)] }) }
        yield keep(failed ? [] : events, {
          ...state,
          ...rest,
          told: isGap ? state.told : newestOf({ ...state.told, ...told }),
        })
        if (failed)
          throw new UpstreamFailed(`${window.unread} of ${window.read} transactions could not be read`)
        if (!left && !isGap) metrics.chainRead.set({ network }, sight.final.atMs / 1000)
      }
    },
  }
}

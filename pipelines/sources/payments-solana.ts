/** Payments on Solana: what final transactions say, the newest first, then the gaps. Every window overlaps the last. */
import { networks } from '../../schemas/networks.ts'
import { UpstreamFailed } from '../failures.ts'
import { metrics } from '../metrics.ts'
import { anew, begun, newestOf, paceMs, planned, type State, tellOfGaps } from './payments-solana/state.ts'
import { type Sight, type Step, step } from './payments-solana/step.ts'
import type { Page, Source } from './source.ts'

/** A poll leaves the rest to the next one after this. */
const readingMs = 240_000
/** With more than this unread, a window is no whole one. */
const mostUnread = 0.01

export const paymentsSolana: Source<State> = {
  name: 'payments_solana',
  schedule: '* * * * *',
  timeoutMs: 600_000,

  due: (now, state) =>
    !state || Boolean(state.window) || state.gaps.length > 0 || now - state.readAt >= paceMs(state.wallets),

  async *pull(cursor, outside) {
    const { solana, sellers } = outside.chains ?? {}
    if (!solana || !sellers) return
    const { signal } = outside
    const startedAt = outside.now()
    const genesis = await solana.genesis(signal)
    const named = await sellers.named(networks[solana.network].caip2)
    const sight: Sight = { solana, named, final: await solana.final(signal), signal }
    // Play-money chains begin anew at every start.
    const before = cursor?.genesis === genesis ? cursor : begun(genesis, sight.final, named)
    let state = planned(before, sight.final, named, startedAt)
    const keep = (events: Step['events'], next: State): Page<State> => {
      state = next
      tellOfGaps(solana.network, state, sight.final)
      return { events, cursor: state }
    }

    while (outside.now() - startedAt < readingMs) {
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
      if (!left && !isGap) metrics.chainRead.set({ network: solana.network }, sight.final.atMs / 1000)
    }
  },
}

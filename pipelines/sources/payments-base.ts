/** Payments on Base: final blocks once for all, newer ones until they are, and gaps in what time is left. */
import { chainPayments } from '../../schemas/chain-payments.ts'
import { networks } from '../../schemas/networks.ts'
import type { BaseReader, Head } from '../chain/base-reader.ts'
import { UpstreamFailed } from '../failures.ts'
import { begun, planned, type State, tellOfGaps, withdrawn } from './payments-base/state.ts'
import { filled, forward, provisional, type Sight } from './payments-base/steps.ts'
import { emit, type Page, type Source } from './source.ts'

/** After this much of a poll, gaps wait for the next. */
const fillingMs = 240_000

export const paymentsBase: Source<State> = {
  name: 'payments_base',
  schedule: '* * * * *',
  timeoutMs: 600_000,

  /** The more wallets, the more a reading costs its node: a minute for a few, a quarter of an hour for thousands. */
  due: (now, state) => !state || state.gaps.length > 0 || now - state.readAt >= 40_000 + 200 * state.wallets,

  async *pull(cursor, outside) {
    const { base, sellers } = outside.chains ?? {}
    if (!base || !sellers) return
    const { signal } = outside
    const startedAt = outside.now()
    const named = await sellers.named(networks[base.network].caip2)
    const final = await base.head('finalized', signal)
    const latest = await base.head('latest', signal)
    const sight: Sight = { base, named, final, latest, signal }

    const before = cursor && (await onChain(cursor, sight))
    let state = planned(before ?? begun(final, named), final, named, startedAt)
    const keep = (page: Page<State>): Page<State> => {
      state = page.cursor
      tellOfGaps(base.network, state, final)
      return page
    }
    // What was told of a chain that is gone was never final.
    const lost = before ? [] : (cursor?.provisional ?? [])
    if (lost.length)
      yield keep({ events: lost.map(row => emit(chainPayments, withdrawn(row))), cursor: state })
    while (state.next <= final.block) yield keep(await forward(state, sight))
    if (latest.block >= state.next) yield keep(await provisional(state, sight))
    while (state.gaps.length && outside.now() - startedAt < fillingMs) yield keep(await filled(state, sight))
  },
}

/** The state, if it is of the chain that answers now: play-money chains begin anew at every start. */
async function onChain(state: State, { base, latest, final, signal }: Sight): Promise<State | undefined> {
  const { origin, next, lastHash } = state
  if (latest.block < origin.block || (await hashOf(origin.block, base, signal)) !== origin.hash)
    return undefined
  // A node that lags says nothing about the block that another one called final.
  if (next - 1 <= final.block && (await hashOf(next - 1, base, signal)) !== lastHash)
    throw new UpstreamFailed(`block ${next - 1} of ${base.network} was final and is another now`)
  return state
}

const hashOf = async (block: number, base: BaseReader, signal: AbortSignal): Promise<Head['hash']> =>
  (await base.head(block, signal)).hash

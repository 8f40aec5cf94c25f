/**
 * Reads payments on an EVM chain: final blocks once, newer ones until they are final, and gaps in the remaining time.
 */
import { chainPayments } from '../../../schemas/chain-payments.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import type { ChainHead, EvmReader } from '../../domains/payments/evm/reader.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { emit, type PollPage, type Source } from '../source.ts'
import { begun, type EvmReadState, measureGaps, planned, spansOf, withdrawn } from './evm/state.ts'
import { type EvmStepSight, filled, forward, provisional } from './evm/steps.ts'
import { paymentDatasets, paymentsIn } from './rows.ts'
import type { SellerWallets } from './sellers.ts'

/** After this part of a poll, the gaps wait for the next poll. */
const fillingMs = 240_000

export function evmPayments(reader: EvmReader, sellers: SellerWallets): Source<EvmReadState> {
  const { network } = reader
  const spans = spansOf(network)
  return {
    name: paymentsIn(network),
    upstreams: [],
    writes: paymentDatasets,
    schedule: '* * * * *',
    timeoutMs: 600_000,
    silentAfterMs: 30 * 60_000,

    /**
     * More wallets cost a node more work. The pause between polls grows from a minute for few wallets to a quarter of
     * an hour for thousands.
     */
    due: (now, state) =>
      !state || state.gaps.length > 0 || now - state.readAt >= 40_000 + 200 * state.wallets,

    async *pull(cursor, { now, signal }) {
      const startedAt = now()
      const named = await sellers.named(networks[network].caip2)
      const final = await reader.head('finalized', signal)
      const latest = await reader.head('latest', signal)
      const sight: EvmStepSight = { reader, named, final, latest, signal }

      const before = cursor && (await onChain(cursor, sight))
      let state = planned(before ?? begun(final, named, spans), sight, spans, startedAt)
      const keep = (page: PollPage<EvmReadState>): PollPage<EvmReadState> => {
        state = page.cursor
        measureGaps(network, state, final)
        return page
      }
      // On a different chain, the provisional rows never became final.
      const lost = before ? [] : (cursor?.provisional ?? [])
      if (lost.length)
        yield keep({ events: lost.map(row => emit(chainPayments, withdrawn(row))), cursor: state })
      while (state.next <= final.block) yield keep(await forward(state, sight))
      if (latest.block >= state.next) yield keep(await provisional(state, sight))
      while (state.gaps.length && now() - startedAt < fillingMs) yield keep(await filled(state, sight))
    },
  }
}

/** Returns the state if the chain is still the same one. Play-money chains begin again at every start. */
async function onChain(
  state: EvmReadState,
  { reader, latest, final, signal }: EvmStepSight,
): Promise<EvmReadState | undefined> {
  const { origin, next, lastHash } = state
  if (latest.block < origin.block || (await hashOf(origin.block, reader, signal)) !== origin.hash)
    return undefined
  // A node that lags knows nothing about a block that another node called final.
  if (next - 1 <= final.block && (await hashOf(next - 1, reader, signal)) !== lastHash)
    throw new UpstreamFailed(`block ${next - 1} of ${reader.network} was final and has changed`)
  return state
}

const hashOf = async (block: number, reader: EvmReader, signal: AbortSignal): Promise<ChainHead['hash']> =>
  (await reader.head(block, signal)).hash

/** Polls every source: those of the list, and the payments and new pools on each network that we sell on. */
import { chainPools } from '../../schemas/chain-pools.ts'
import { marketResources } from '../../schemas/market-resources.ts'
import { marketSnapshots } from '../../schemas/market-snapshots.ts'
import { rejects } from '../../schemas/rejects.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'
import { chainOfNetwork, isEvmChain } from '../../schemas/tables/chains.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { summariesBy } from '../domains/company/events/model.ts'
import { summaryVariables } from '../domains/document/summary/variables.ts'
import { networkVariables } from '../domains/payments/variables.ts'
import { together } from '../rails/running.ts'
import { sources } from '../sources/index.ts'
import { outOfTurn } from '../sources/out-of-turn.ts'
import { nodesOf, paymentReaders } from '../sources/payments/readers.ts'
import { paymentDatasets } from '../sources/payments/rows.ts'
import { followSellers } from '../sources/payments/sellers.ts'
import { paymentsBy } from '../sources/payments.ts'
import { poolsOn } from '../sources/pools.ts'
import { startSources } from '../sources/runner.ts'
import { dutyOfRate, type Source } from '../sources/source.ts'
import { refundAccounts, refundVariables } from './refunds/variables.ts'
import type { Worker } from './worker.ts'

const dutyOf = ({ name, upstreams }: Source): string =>
  upstreams.flatMap(({ rate }) => rate ?? []).map(dutyOfRate)[0] ?? name

export const polling: Worker = {
  part: 'source',
  role: 'ingest',
  reads: [sourceTicks, marketResources, marketSnapshots],
  // Payments and pools have a source for each network that has a node.
  writes: [...sources.flatMap(({ writes }) => writes), ...paymentDatasets, chainPools, sourceTicks, rejects],
  variables: [networkVariables, summaryVariables, refundVariables],
  async open(process) {
    const { log, now, bulk, dataDir, tell, read, alone, onFailed } = process
    const open = read(networkVariables)
    const needs = { dataDir, tell, summarise: summariesBy(read(summaryVariables)) }
    const ours = open.flatMap(({ name, payTo }) =>
      [payTo, ...refundAccounts(read(refundVariables), name)].flatMap(address =>
        address ? [{ network: networks[name].caip2, address }] : [],
      ),
    )
    const own = () => [
      ...ours,
      ...process.payees().map(({ network, address }) => ({ network: networks[network].caip2, address })),
    ]
    const polls = await process.use(outOfTurn)
    const sellers = await followSellers(log, own)
    const readers = await process.use(paymentReaders)
    const polled = [
      ...sources.filter(source => bulk || !source.bulk),
      ...[...readers.values()].map(reader => paymentsBy(reader, sellers)),
      ...open.flatMap(({ name, rpcUrls }) => {
        const chain = chainOfNetwork(name)
        return chain && isEvmChain(chain) ? poolsOn(chain, nodesOf(name, rpcUrls)) : []
      }),
    ]
    const shared = [...Map.groupBy(polled, dutyOf)]
    const running = together(
      await Promise.all(
        shared.map(([duty, ofDuty]) =>
          alone(duty, mine => startSources(ofDuty, { needs, now, onFailed, outOfTurn: polls, ...mine })),
        ),
      ),
    )
    return {
      ended: Promise.all([running.ended, sellers.ended]),
      // A poll in progress still needs the list of sellers.
      close: async () => {
        await running.close()
        await sellers.close()
      },
    }
  },
}

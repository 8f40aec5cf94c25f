/** A till with two facilitators and a node of its own, which shows what either of them has settled. */
import { onTestFinished } from 'vitest'
import type { TillOptions } from '../../../services/till/open-till.ts'
import { payTo, payToSolana } from './paying.ts'
import { type StubFacilitator, startStubFacilitator } from './stub-facilitator.ts'
import { type Bench, openBench } from './tills.ts'

export const otherFeePayer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'

export interface TwoFacilitators {
  bench: Bench
  first: StubFacilitator
  second: StubFacilitator
  node: StubFacilitator
}

export async function openTwo(more: Partial<TillOptions> = {}): Promise<TwoFacilitators> {
  const [first, second, node] = await Promise.all([
    startStubFacilitator(),
    startStubFacilitator(),
    startStubFacilitator(),
  ])
  onTestFinished(async () => void (await Promise.all([first, second, node].map(each => each.close()))))
  for (const each of [first, second]) Object.assign(each, { landed: node.landed, knowsUsed: true })
  Object.assign(node, { chain: 'truthful' })
  Object.assign(second, { feePayer: otherFeePayer })
  const bench = await openBench(more)
  await bench.restart({
    config: {
      facilitators: [{ url: first.url }, { url: second.url }],
      payTo: [
        { name: 'base', address: payTo },
        { name: 'solana', address: payToSolana },
      ],
      rpcUrls: { base: [`${node.url}/chain`], solana: ['http://127.0.0.1:9'] },
    },
  })
  return { bench, first, second, node }
}

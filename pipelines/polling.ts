/** Polls every source: those of the list, and the payments on each network that we sell on. */
import { networks } from '../schemas/networks.ts'
import { followSellers } from './sellers.ts'
import { sources } from './sources/index.ts'
import { paymentsOn } from './sources/payments.ts'
import { startSources } from './sources/runner.ts'
import type { Worker } from './worker.ts'

export const polling: Worker = {
  part: 'source',
  role: 'ingest',
  async open({ networks: open, bulk, ...needs }) {
    const own = open.flatMap(({ name, payTo }) =>
      payTo ? [{ network: networks[name].caip2, address: payTo }] : [],
    )
    const sellers = await followSellers(needs.log, own)
    const polled = [
      ...sources.filter(source => bulk || !source.bulk),
      ...open.map(({ name, rpcUrls }) => paymentsOn(name, { rpcUrls, sellers })),
    ]
    const running = await startSources(polled, { needs, ...needs })
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

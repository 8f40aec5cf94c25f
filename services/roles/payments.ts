/** The sources of payments: one for each network that is sold on. */
import type { Log } from '../../pipelines/log/log.ts'
import type { Running } from '../../pipelines/running.ts'
import { followSellers } from '../../pipelines/sellers.ts'
import { paymentsOn } from '../../pipelines/sources/payments.ts'
import type { Source } from '../../pipelines/sources/source.ts'
import { networks } from '../../schemas/networks.ts'
import type { Config } from '../config.ts'

export async function openPayments(config: Config, log: Log): Promise<Running & { sources: Source[] }> {
  const own = config.NETWORKS.flatMap(name => {
    const { payTo, caip2 } = networks[name]
    const address = config[payTo]
    return address ? [{ network: caip2, address }] : []
  })
  const sellers = await followSellers(log, own)
  return {
    sources: config.NETWORKS.map(name => paymentsOn(name, { rpcUrls: config[networks[name].rpc], sellers })),
    ended: sellers.ended,
    close: () => sellers.close(),
  }
}

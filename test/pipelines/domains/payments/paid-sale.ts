/** A sale on a play-money chain, as its settlement tells it. */
import type { PaidSale } from '../../../../pipelines/domains/payments/refund.ts'
import { isEvm, networks } from '../../../../schemas/tables/networks.ts'
import { startFacilitator } from '../../../../services/sandbox/facilitator.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../../services/sandbox/wallet.ts'

const price = 2000n

export async function paidSale(chain: PlayChain): Promise<PaidSale> {
  const facilitator = await startFacilitator([chain])
  try {
    const { payer, payTo } = chain
    const { caip2, asset, domain } = { domain: undefined, ...networks[chain.network] }
    const supported: { kinds: [{ extra: object }] } = await fetch(`${facilitator.url}/supported`).then(
      said => said.json() as never,
    )
    const accepted = {
      ...{ scheme: 'exact', network: caip2, asset, payTo, amount: String(price), maxTimeoutSeconds: 300 },
      extra: isEvm(chain.network) ? domain : supported.kinds[0].extra,
    }
    const quote = { x402Version: 2, resource: { url: 'http://shop.example/fx' }, accepts: [accepted] }
    const paymentPayload = await (await payingClient(chain)).createPaymentPayload(quote as never)
    const settled: { success: boolean; transaction: string } = await fetch(`${facilitator.url}/settle`, {
      method: 'POST',
      body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: accepted }),
    }).then(said => said.json() as never)
    if (!settled.success) throw new Error(JSON.stringify(settled))
    return { payer, payTo, amount: price, tx: settled.transaction, position: null }
  } finally {
    await facilitator.close()
  }
}

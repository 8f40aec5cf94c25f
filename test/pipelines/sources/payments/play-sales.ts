/** Makes real x402 payments on the play-money chains, and keeps books of their rows. */
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import type { Outside } from '../../../../pipelines/rails/outside/upstreams/outside.ts'
import { factOf } from '../../../../pipelines/sources/payments/rows.ts'
import type { NamedWallets } from '../../../../pipelines/sources/payments/sellers.ts'
import type { Source } from '../../../../pipelines/sources/source.ts'
import { type ChainPayment, chainPayments } from '../../../../schemas/chain-payments.ts'
import { type ChainRange, chainRanges } from '../../../../schemas/chain-ranges.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { startFacilitator } from '../../../../services/sandbox/facilitator.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../../services/sandbox/wallet.ts'

export async function startSales(chain: PlayChain) {
  const facilitator = await startFacilitator([chain])
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
    .register('eip155:*', new ExactEvmScheme())
    .register('solana:*', new ExactSvmScheme())
  await server.initialize()
  return {
    /** Settles one payment and returns its transaction. */
    async pay(price: string, payTo = chain.payTo): Promise<string> {
      const network = networks[chain.network].caip2
      const [offer] = await server.buildPaymentRequirements({ scheme: 'exact', network, payTo, price })
      if (!offer) throw new Error('no offer')
      const required = await server.createPaymentRequiredResponse([offer], { url: 'http://shop/x' })
      const payment = await (await payingClient(chain)).createPaymentPayload(required)
      const { success, transaction, errorReason } = await server.settlePayment(payment, offer)
      if (!success) throw new Error(errorReason)
      return transaction
    },
    close: () => facilitator.close(),
  }
}

/** `rows` is the content of a store: one row per fact, without withdrawn ones. `told` is every row that arrived. */
export class Books {
  readonly rows = new Map<string, ChainPayment>()
  readonly told: ChainPayment[] = []
  readonly ranges: ChainRange[] = []

  take(page: { events: readonly { dataset: { name: string }; event: unknown }[] }): void {
    for (const { dataset, event } of page.events) {
      if (dataset.name === chainRanges.name) {
        this.ranges.push(chainRanges.event.parse(event))
        continue
      }
      const row = chainPayments.event.parse(event)
      this.told.push(row)
      if (row.withdrawn) this.rows.delete(factOf(row))
      else this.rows.set(factOf(row), row)
    }
  }

  get list(): ChainPayment[] {
    return [...this.rows.values()].sort((a, b) => a.block - b.block || a.position - b.position)
  }
}

/** The parts of Outside that a source of payments needs. */
export const outside = (now = Date.now) => ({ now, signal: new AbortController().signal }) as Outside

/** Polls as the runner does. After `most` pages it stops, like a killed process. */
export async function poll<C>(source: Source<C>, books: Books, cursor?: C, most = Infinity, now = Date.now) {
  let next = cursor
  let pages = 0
  for await (const page of source.pull(cursor, outside(now), {})) {
    books.take(page)
    next = JSON.parse(JSON.stringify(page.cursor))
    if (++pages >= most) break
  }
  return next
}

export const sellersNamed = (state: NamedWallets) => ({ named: async () => state })

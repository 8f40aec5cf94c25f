/** Pays an offer from the play-money wallet, for the pages that try operations. */
import { networks } from '../../schemas/tables/networks.ts'
import { Failure } from '../offer/errors.ts'
import type { Play } from '../query/catalog/offered.ts'
import { partsPage } from './parts-page.ts'
import type { PlayChain } from './play-chain.ts'
import { payingClient } from './wallet.ts'

export const playPayment = (chains: readonly PlayChain[]): Play => ({
  networks: chains.map(({ network }) => ({ id: networks[network].caip2, title: networks[network].title })),
  others: [partsPage],
  page: {
    path: '/sandbox/payment',
    answer: async ({ query: { accepted = '', resource = '' } }) => {
      const offer = offerIn(accepted)
      const chain = chains.find(({ network }) => networks[network].caip2 === offer?.network)
      if (!chain || !offer) throw new Failure('invalid_request', '`accepted` should be an offer of a quote')
      const payer = await payingClient(chain)
      const payment = await payer.createPaymentPayload({
        x402Version: 2,
        resource: { url: resource },
        accepts: [offer],
      })
      return { type: 'application/json; charset=utf-8', body: JSON.stringify(payment) }
    },
  },
})

type Offer = Parameters<
  Awaited<ReturnType<typeof payingClient>>['createPaymentPayload']
>[0]['accepts'][number]

function offerIn(text: string): Offer | undefined {
  try {
    return JSON.parse(text) as Offer
  } catch {
    return undefined
  }
}

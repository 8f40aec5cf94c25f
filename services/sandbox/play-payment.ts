/** Pays an offer from the play-money wallet, for the pages that try operations. */
import { networks } from '../../schemas/tables/networks.ts'
import { payable } from '../client/offer.ts'
import type { Offer } from '../client/quote.ts'
import { Failure } from '../offer/errors.ts'
import type { Play } from '../query/catalog/offered.ts'
import { evmPayerKey, solanaKeyText } from './keys.ts'
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
      const refusal = await refusalOf(offer, resource)
      if (refusal !== undefined)
        throw new Failure('invalid_request', `\`accepted\` cannot be paid: ${refusal}`)
      const { caip2: network, ...known } = networks[chain.network]
      const extra = { ...('domain' in known && known.domain), ...offer.extra }
      const payer = await payingClient(chain)
      const payment = await payer.createPaymentPayload({
        x402Version: 2,
        resource: { url: resource },
        accepts: [{ ...offer, network, extra }],
      })
      return { type: 'application/json; charset=utf-8', body: JSON.stringify(payment) }
    },
  },
})

/** What the client of a buyer refuses, this wallet does not sign either. */
async function refusalOf(offer: Offer, url: string): Promise<string | undefined> {
  const wallet = { evmKey: evmPayerKey, solanaKey: await solanaKeyText('payer') }
  const found = payable({ x402Version: 2, resource: { url }, accepts: [offer] }, wallet, undefined)
  return typeof found === 'string' ? found : undefined
}

function offerIn(text: string): Offer | undefined {
  try {
    return JSON.parse(text) as Offer
  } catch {
    return undefined
  }
}

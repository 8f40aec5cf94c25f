/** The parts that the examples of this origin share: an endpoint and a webhook that respond in the sandbox, and the quote there. */
export const shopUrl = 'http://shop.sample/fx'
export const hookUrl = 'http://hooks.sample/x402'

export const shopPayee = {
  network: 'eip155:8453',
  address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
} as const

export const shopOffer = {
  network: shopPayee.network,
  scheme: 'exact',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  amount: '2000',
  price_usd: 0.002,
  pay_to: shopPayee.address,
} as const

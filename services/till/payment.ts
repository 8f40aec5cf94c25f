/** Checks a presented payment against our quote, as far as that works without the facilitator. */
import { isObject } from './header.ts'
import { ofVersion1, unfit } from './payment-failures.ts'
import type { Quotes } from './quotes.ts'
import type { Schemes } from './schemes/scheme.ts'
import type { Payment, Presented, SaleItem } from './till.ts'

export async function checkPayment(
  { json }: Presented,
  product: SaleItem,
  { quotes, schemes }: { quotes: Quotes; schemes: Schemes },
): Promise<Payment> {
  if (json.x402Version === 1) throw ofVersion1()
  if (json.x402Version !== 2) throw unfit('x402Version is not 2')
  if (!isObject(json.accepted)) throw unfit('accepted is missing')
  if (!isObject(json.payload)) throw unfit('payload is missing')
  const payable = quotes.accepted(product, json.accepted)
  const scheme = payable && schemes.get(payable.offer.network)
  if (!payable || !scheme) throw unfit('accepted is none of the offers')
  const { offer, json: ours } = payable
  const quote = quotes.of(product)
  checkResource(json.resource, address => quotes.isFor(product, address))
  const identifier = paymentIdentifier(json.extensions)
  if (identifier !== undefined && !identifierForm.test(identifier))
    throw unfit('the payment-identifier id is not 16 to 128 letters, digits, _ or -')

  const { payload, ...spend } = await scheme.check(json.payload, offer)
  const paying = JSON.stringify(payload)
  const bazaar = isObject(json.extensions) && 'bazaar' in json.extensions ? quote.bazaar : undefined
  return {
    ...spend,
    origin: quote.origin,
    operation: product.id,
    offer,
    network: scheme.network,
    paying,
    request: requestOf({ ours, resource: quote.resource, paying, bazaar }),
    paymentIdentifier: identifier,
  }
}

/** It holds on to nothing but these texts, which many payments share. */
export function requestOf({
  ours,
  resource,
  paying,
  bazaar,
}: Record<'ours' | 'paying', string> & Record<'resource' | 'bazaar', string | undefined>): () => string {
  return () => {
    const extensions = bazaar === undefined ? '{}' : `{"bazaar":${bazaar}}`
    const sold = resource === undefined ? '' : `"resource":${resource},`
    return `{"x402Version":2,"paymentPayload":{"x402Version":2,${sold}"accepted":${ours},"payload":${paying},"extensions":${extensions}},"paymentRequirements":${ours}}`
  }
}

/** A payment for one product buys no other product of the same price. */
function checkResource(resource: unknown, isOurs: (address: string) => boolean): void {
  const url = isObject(resource) ? resource.url : resource
  if (url === undefined) return
  if (typeof url !== 'string' || !isOurs(url)) throw unfit('resource is not what is asked for')
}

const identifierForm = /^[a-zA-Z0-9_-]{16,128}$/

/** The id of the payment-identifier extension, whatever its form. */
export function paymentIdentifier(extensions: unknown): string | undefined {
  const extension = isObject(extensions) ? extensions['payment-identifier'] : undefined
  const id = isObject(extension) && isObject(extension.info) ? extension.info.id : undefined
  return id === undefined ? undefined : typeof id === 'string' ? id : ''
}

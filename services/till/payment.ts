/** From a header to a payment: everything about it that can be checked without asking the facilitator. */
import type { Trace } from '../../schemas/till-intents.ts'
import { Failure } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { isObject, strictBase64, unfit } from './given.ts'
import { checkEvm, spendOfEvm } from './payment-evm.ts'
import { checkSvm, spendOfSvm } from './payment-svm.ts'
import type { Offer, Quotes, Terms } from './quote.ts'
import { sha256 } from './sha256.ts'
import type { Decoded, Payment } from './till.ts'

/** What the till knows of a payment that fits an offer. */
export interface Checked extends Payment {
  offer: Offer
  /** The body of /verify and /settle: our offer, our resource, and of the client only what pays. */
  request: string
  payloadSha256: string
  trace: Trace
  /** Its time, in ms: settled before the first, never after the second. */
  expiresAt: number
  deadAt: number
  /** The payer's signature was seen to hold; else only the facilitator can tell. */
  proven: boolean
  paymentIdentifier: string | undefined
}

/** What a scheme's own checks find. */
export interface Found {
  payer: string
  spendId: string
  /** What pays, rebuilt: always the same text for the same payment. */
  payload: object
  trace: Trace
  expiresAt: number
  deadAt: number
  proven: boolean
}

export interface CheckTools {
  quotes: Quotes
  now: () => number
  /** undefined: no node answers. */
  isContract(address: string): Promise<boolean | undefined>
}

const headerLimitBytes = 8 * 1024
export function decodePayment(header: string): Decoded {
  if (header.length > headerLimitBytes) throw new Failure('headers_too_large')
  if (!strictBase64.test(header)) throw new Failure('invalid_payment_header')
  let payload: unknown
  try {
    payload = JSON.parse(Buffer.from(header, 'base64').toString())
  } catch {
    // The payer typed it.
    throw new Failure('invalid_payment_header')
  }
  if (!isObject(payload)) throw new Failure('invalid_payment_header')
  return { payload }
}

export async function checkPayment(
  { payload: given }: Decoded,
  operation: Operation,
  tools: CheckTools,
): Promise<Checked> {
  if (given.x402Version !== 2) throw unfit('x402Version is not 2')
  if (!isObject(given.accepted)) throw unfit('accepted is missing')
  if (!isObject(given.payload)) throw unfit('payload is missing')
  const match = tools.quotes.accepted(operation, given.accepted)
  if (!match) throw unfit('accepted is none of the offers')
  const quote = tools.quotes.of(operation)
  checkResource(given.resource, quote.path)
  const identifier = paymentIdentifier(given.extensions)

  const { offer, terms } = match
  const found = await checkScheme(given.payload, offer, terms, tools)
  const extensions =
    isObject(given.extensions) && 'bazaar' in given.extensions ? `{"bazaar":${quote.bazaar}}` : '{}'
  const terse = JSON.stringify(offer)
  const payload = JSON.stringify(found.payload)
  return {
    spendId: found.spendId,
    network: terms.name === 'base' || terms.name === 'base-sepolia' ? 'base' : 'solana',
    payer: found.payer,
    offer,
    request: `{"x402Version":2,"paymentPayload":{"x402Version":2,"resource":${quote.resource},"accepted":${terse},"payload":${payload},"extensions":${extensions}},"paymentRequirements":${terse}}`,
    payloadSha256: sha256(payload),
    trace: found.trace,
    expiresAt: found.expiresAt,
    deadAt: found.deadAt,
    proven: found.proven,
    paymentIdentifier: identifier,
  }
}

/** What it would spend if it were good, at no cost: only a payment that was good before is found by it. */
export function spendIdIn({ payload: { accepted, payload } }: Decoded): string | undefined {
  if (!isObject(accepted) || !isObject(payload)) return undefined
  const { network, asset } = accepted
  const { transaction, authorization } = payload
  if (typeof network !== 'string' || typeof asset !== 'string') return undefined
  if (typeof transaction === 'string') return spendOfSvm(network, Buffer.from(transaction, 'base64'))
  const { from, nonce } = isObject(authorization) ? authorization : {}
  return typeof from === 'string' && typeof nonce === 'string'
    ? spendOfEvm(network, asset, from, nonce)
    : undefined
}

function checkScheme(
  payload: Record<string, unknown>,
  offer: Offer,
  terms: Terms,
  tools: CheckTools,
): Promise<Found> {
  return offer.network.startsWith('eip155:')
    ? checkEvm(payload, offer, terms, tools)
    : checkSvm(payload, offer, tools)
}

/** A payment made for one path does not buy another of the same price. Only the path counts: addresses are rewritten. */
function checkResource(resource: unknown, ours: string): void {
  const url = isObject(resource) ? resource.url : resource
  if (url === undefined) return
  const path = typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined
  if (path !== ours) throw unfit('resource is not what is asked for')
}

function paymentIdentifier(extensions: unknown): string | undefined {
  const extension = isObject(extensions) ? extensions['payment-identifier'] : undefined
  const id = isObject(extension) && isObject(extension.info) ? extension.info.id : undefined
  if (id === undefined) return undefined
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]{16,128}$/.test(id))
    throw unfit('the payment-identifier id is not 16 to 128 letters, digits, _ or -')
  return id
}

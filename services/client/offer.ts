/** Chooses the offer to pay: one for USDC as in our own table, in the one form that we sign. */
import { networkId, networkName, networks } from './networks.ts'
import { type Offer, plain, type Quote } from './quote.ts'
import { hasKeyFor, type Wallet } from './wallet.ts'

/** The longest life of a signature. Until then its holder can take the money. */
const longestSeconds = 600
/** A longer text is no amount of dollars. */
const amount = /^[1-9]\d{0,77}$/
const evmAddress = /^0x[0-9a-fA-F]{40}$/
const solanaAddress = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const mostOffers = 20
const memoLimitBytes = 256

const quoted = (value: unknown): string => plain((JSON.stringify(value) ?? 'nothing').slice(0, 60))

/** The offers that can be paid, the first of each network, or the reason why there is none. */
export function payable(
  quote: Quote,
  wallet: Wallet,
  wanted: string | undefined,
): readonly [Offer, ...Offer[]] | string {
  const offers = new Map<string, Offer>()
  const reasons = new Set<string>()
  for (const offer of quote.accepts.slice(0, mostOffers)) {
    const reason = refusalOf(offer, wallet, wanted)
    if (reason !== undefined) reasons.add(reason)
    else if (!offers.has(offer.network)) offers.set(offer.network, offer)
  }
  const [first, ...others] = offers.values()
  if (first) return [first, ...others]
  return [...reasons].slice(0, 4).join('; ') || 'the quote has no offer'
}

function refusalOf(offer: Offer, wallet: Wallet, wanted: string | undefined): string | undefined {
  if (typeof offer !== 'object' || offer === null) return `${quoted(offer)} is not an offer`
  const known = networks.find(({ id }) => id === offer.network)
  if (!known) return `${quoted(offer.network)} is not a network it knows`
  if (wanted !== undefined && known.id !== networkId(wanted))
    return `it offers ${known.name}, and ${networkName(wanted)} is wanted`
  if (!hasKeyFor(wallet, known)) return `the wallet has no key for ${known.name}`
  return formRefusal(offer) ?? (known.domain ? evmRefusal(offer, known) : solanaRefusal(offer, known))
}

function formRefusal({ scheme, amount: atoms, maxTimeoutSeconds }: Offer): string | undefined {
  if (scheme !== 'exact') return `the scheme ${quoted(scheme)} is not "exact"`
  if (typeof atoms !== 'string' || !amount.test(atoms)) return `${quoted(atoms)} is not an amount`
  const isWindow = Number.isInteger(maxTimeoutSeconds) && maxTimeoutSeconds > 0
  return isWindow && maxTimeoutSeconds <= longestSeconds
    ? undefined
    : `maxTimeoutSeconds is ${quoted(maxTimeoutSeconds)}, and a signature is good for ${longestSeconds} at most`
}

type Known = (typeof networks)[number]
const notUsdc = (asset: unknown, { name, usdc }: Known) =>
  `${quoted(asset)} is not USDC of ${name}, which is ${usdc}`

function evmRefusal({ asset, payTo, extra = {} }: Offer, known: Known): string | undefined {
  if (typeof asset !== 'string' || asset.toLowerCase() !== known.usdc.toLowerCase())
    return notUsdc(asset, known)
  if (typeof payTo !== 'string' || !evmAddress.test(payTo))
    return `payTo is ${quoted(payTo)}, not an address of ${known.name}`
  // The table's domain is signed in any case. A different one in the quote is a sign of a false token.
  for (const field of ['name', 'version'] as const)
    if (extra?.[field] !== undefined && extra[field] !== known.domain?.[field])
      return `the ${field} in the domain is ${quoted(extra[field])}, and USDC of ${known.name} has ${quoted(known.domain?.[field])}`
  const method = extra?.assetTransferMethod ?? 'eip3009'
  return method === 'eip3009' ? undefined : `${quoted(method)} is not how it transfers`
}

function solanaRefusal({ asset, payTo, extra }: Offer, known: Known): string | undefined {
  if (asset !== known.usdc) return notUsdc(asset, known)
  if (typeof payTo !== 'string' || !solanaAddress.test(payTo))
    return `payTo is ${quoted(payTo)}, not an address of ${known.name}`
  const { feePayer, memo } = extra ?? {}
  if (typeof feePayer !== 'string' || !solanaAddress.test(feePayer))
    return `feePayer is ${quoted(feePayer)}, not an address of ${known.name}`
  const isMemo = memo === undefined || (typeof memo === 'string' && Buffer.byteLength(memo) <= memoLimitBytes)
  return isMemo ? undefined : `the memo is no text of ${memoLimitBytes} bytes`
}

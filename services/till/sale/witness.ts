/** What shows that a payment is its presenter's own, and what is said to everybody else. */
import { instant } from '../../../schemas/values/values.ts'
import { AlreadyUsed } from '../../offer/errors.ts'
import { boughtBy, isGone } from '../ledger/fate.ts'
import { callerMs, type Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome } from '../payment-failures.ts'
import type { Quotes } from '../quotes.ts'
import type { Asking, SaleItem } from '../till.ts'
import { challengeOf, signInWithX } from './proof.ts'
import { fingerprintOf } from './replay.ts'

/** Somebody who asks with a payment, and his evidence. */
export interface Claimant {
  asking: Asking
  keys: readonly string[]
  /** The name of the text that the payer's wallet signed. */
  proven?: string | undefined
}

type Witness = 'key' | 'payer' | 'caller'

const ways =
  'It is given again, for the question that was paid, to its Idempotency-Key (over MCP the argument idempotency_key) or payment-identifier, to its first caller within two minutes, or to a proof by the wallet that paid: sign extensions["sign-in-with-x"] and send it in the header SIGN-IN-WITH-X (over MCP in _meta["x402/sign-in-with-x"])'

export function witnesses({ ledger, quotes }: { ledger: Ledger; quotes: Quotes }) {
  const { purchases } = ledger

  function witnessOf(purchase: Purchase, { asking, keys, proven }: Claimant): Witness | undefined {
    const { promised, delivered, spendId } = purchase
    if (promised.fingerprint !== fingerprintOf(spendId, asking) || isGone(purchase)) return undefined
    const hasKey =
      purchase.keys.some(key => keys.includes(key)) && (!delivered || purchases.replayable(purchase))
    const isCaller =
      ledger.callers.is(promised.caller, spendId, asking.caller) &&
      (purchase.state === 'open' || ledger.logNow() < purchase.settledAt + callerMs)
    if (asking.product.holdsSecret ? hasKey && isCaller : hasKey) return 'key'
    if (proven !== undefined) return 'payer'
    return isCaller && !asking.product.holdsSecret ? 'caller' : undefined
  }

  /** The same refusal for everybody. */
  function refusalOf(purchase: Purchase, product: SaleItem): Error {
    if (purchase.state !== 'settled' || purchase.tx === undefined) return unknownOutcome()
    const { tx } = purchase
    const { bought } = boughtBy(purchase)
    if (bought !== undefined) return new AlreadyUsed(tx, bought)
    const challenge = challengeOf(purchase, quotes.of(product).url.href, ledger.logNow())
    const until = instant(purchases.keptUntil(purchase))
    return new AlreadyUsed(tx, `The payment has bought an answer, which is kept until ${until}. ${ways}`, {
      kept_until: until,
      extensions: { [signInWithX]: challenge },
    })
  }

  return { witnessOf, refusalOf }
}

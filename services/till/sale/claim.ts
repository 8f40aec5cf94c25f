/**
 * Decides who gets the answer of a payment that comes again. A settled payment is public on its chain, and a question can be
 * guessed. So its presenter must show something that is not public. Without it, he gets the same refusal whatever he asks.
 */
import { instant } from '../../../schemas/values/values.ts'
import { AlreadyUsed } from '../../offer/errors.ts'
import { boughtBy, isGone } from '../ledger/fate.ts'
import { callerMs, type Purchase } from '../ledger/purchase.ts'
import { checkPayment, paymentIdentifier } from '../payment.ts'
import { unknownOutcome, written } from '../payment-failures.ts'
import type { Quotes } from '../quotes.ts'
import { soldWith } from '../receipt.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Spends } from '../spends.ts'
import type { Again, Asking, Payment, Presented, SaleItem, Sold } from '../till.ts'
import type { answering } from './answer.ts'
import type { Conclusion, ConclusionParts } from './conclusion.ts'
import { challengeOf, type proofs, signInWithX } from './proof.ts'
import { fingerprintOf, keysOf } from './replay.ts'
import { Reservation, type ReservationParts } from './reservation.ts'
import type { Stopping } from './stop.ts'

export interface OwingParts extends ReservationParts, Pick<ConclusionParts, 'recovery'> {
  quotes: Quotes
  schemes: Schemes
  spends: Spends
  proofs: ReturnType<typeof proofs>
  stopping: Stopping
  limits: { unknownMs: number }
  onError(error: unknown): void
}

type Work = { conclusion: Conclusion } & Pick<ReturnType<typeof answering>, 'boughtAnswer'>

/** Somebody who presents a payment, with his evidence. */
interface Presenter {
  asking: Asking
  keys: readonly string[]
  /** The name of the text that the payer's wallet signed. */
  proven?: string | undefined
  /** A payment that passes every check may be settled again. */
  payment?: Payment | undefined
  reservation: Reservation
  /** By this process's monotonic clock. */
  deadline: number
}

/** The evidence that the payment belongs to its presenter. */
type Witness = 'key' | 'payer' | 'caller'

const ways =
  'It is given again, for the question that was paid, to its Idempotency-Key or payment-identifier, to its first caller within two minutes, or to a proof by the wallet that paid: sign extensions["sign-in-with-x"] and send it in the header SIGN-IN-WITH-X (over MCP in _meta["x402/sign-in-with-x"])'

export function owing(parts: OwingParts, { conclusion, boughtAnswer }: Work) {
  const { ledger, turns, schemes, quotes, stopping, limits, onError } = parts
  const { purchases } = ledger

  const knows = (presented: Presented): boolean => knownIn(presented) !== undefined

  const knownIn = (presented: Presented) =>
    parts.spends.known(
      presented,
      id => purchases.taken(id) !== undefined || turns.isTaken(id) || ledger.isBusy(id),
    )

  async function again({ presented, proof, ...asking }: Again): Promise<Sold | undefined> {
    const spendId = knownIn(presented)
    if (spendId === undefined) return undefined
    const keys = keysOf(asking, paymentIdentifier(presented.json.extensions))
    const known = purchases.taken(spendId)
    const shown = { proof, resourceUrl: quotes.of(asking.product).url.href, caller: asking.caller }
    const proven = known && (await parts.proofs.provenBy(known, shown))
    // A presenter without a right to the answer must not keep its payer waiting.
    if (known && !witnessOf(known, { asking, keys, proven })) throw refusalOf(known, asking.product)
    const reservation = new Reservation(parts, spendId)
    const deadline = performance.now() + limits.unknownMs
    let sold: Sold | undefined
    try {
      const work = presentedAgain({ presented, asking, keys, proven, reservation, deadline }, spendId)
      sold = await stopping.within(work, unknownOutcome)
      return sold
    } catch (error) {
      throw truthOf(error, spendId)
    } finally {
      if (!sold) leave(reservation, purchases.of(spendId))
    }
  }

  async function presentedAgain(
    { presented, ...presenter }: Presenter & { presented: Presented },
    spendId: string,
  ): Promise<Sold | undefined> {
    await presenter.reservation.take(spendId, () => purchases.of(spendId)?.delivered === true)
    const purchase = purchases.of(spendId)
    if (!purchase || !(await parts.recovery.isTaken(purchase, presenter.asking))) return undefined
    if (purchase.state !== 'open') return claimed(purchase, presenter)
    // Price, payee and clock may have changed since the sale. Then the till looks at the chain and settles nothing.
    const checked = checkPayment(presented, presenter.asking.product, { quotes, schemes })
    return claimed(purchase, { ...presenter, payment: await checked.catch(() => undefined) })
  }

  /** Gives the answer to a presenter with a witness. Undefined if the payment was not taken: then it may buy. */
  async function claimed(purchase: Purchase, presenter: Presenter): Promise<Sold | undefined> {
    const { asking, proven, payment, reservation, deadline } = presenter
    const replayed = purchase.state === 'settled'
    if (!witnessOf(purchase, presenter)) throw refusalOf(purchase, asking.product)
    await reservation.hold(purchase)
    if (purchase.state === 'open') {
      await written(() => ledger.secure(purchase), onError)
      await (payment ? conclusion.concludeAgain(purchase, payment, deadline) : parts.recovery.look(purchase))
      if (purchase.state === 'open') throw unknownOutcome()
    }
    // It was refused meanwhile, or has failed: no money has moved, so nothing is given.
    if (purchase.state !== 'settled') return undefined
    const witness = witnessOf(purchase, presenter)
    if (!witness) throw refusalOf(purchase, asking.product)
    const isUsed =
      witness === 'payer' && !(await parts.proofs.use(purchase, proven as string, asking.requestId))
    if (isUsed) throw refusalOf(purchase, asking.product)
    // Callers may share an address, and only the payer may end the payer's claim.
    const endsClaim = witness !== 'caller'
    return handOver(purchase, presenter, { replayed, endsClaim })
  }

  function witnessOf(
    purchase: Purchase,
    { asking, keys, proven }: Pick<Presenter, 'asking' | 'keys' | 'proven'>,
  ): Witness | undefined {
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

  /** Ends the call. The purchase is done when the payer has the answer. */
  async function handOver(
    purchase: Purchase,
    { asking, reservation }: Pick<Presenter, 'asking' | 'reservation'>,
    { replayed, answer, endsClaim = true }: { replayed: boolean; answer?: string; endsClaim?: boolean },
  ): Promise<Sold> {
    const text = answer ?? (await boughtAnswer(purchase, asking))
    // The payer already has the answer, so nothing is left to guard.
    if (purchase.delivered) reservation.release()
    for (const key of purchase.keys) reservation.pass(key)
    const delivered = (whole: boolean) => {
      if (whole && endsClaim && !purchase.delivered) ledger.recordDelivered(purchase)
      leave(reservation, purchase)
    }
    return soldWith(purchase, text, { replayed, delivered })
  }

  /** Lets others work on it from here on. */
  function leave(reservation: Reservation, purchase: Purchase | undefined): void {
    if (purchase && !purchase.delivered) ledger.giveBack(purchase)
    reservation.release()
  }

  /** A failure of the log says nothing about a payment that was taken before, so "not charged" would be a lie. */
  const truthOf = (error: unknown, spendId: string): unknown =>
    (error as { code?: string }).code === 'log_unavailable' && purchases.owed(spendId)
      ? unknownOutcome()
      : error

  return { knows, again, claimed, handOver, leave, truthOf }
}

/** What a call would do. A price that is not asked for costs nothing, so an answer that is free is given. */
import { type Buyer, offersFor, purposeOf } from './buyer.ts'
import { networkName } from './networks.ts'
import { plain, usdOf } from './quote.ts'
import { no, type Problem, type Result } from './results.ts'

export async function tried(
  buyer: Buyer,
  path: string,
  request: RequestInit,
  payment: string | undefined,
): Promise<Result> {
  if (payment !== undefined)
    return { ok: false, error: no('dry_run', 'It would present a payment again that was signed before') }
  const offered = await offersFor(buyer, path, request)
  if (!('offers' in offered)) return offered
  let unpaid: Problem | undefined
  for (const offer of offered.offers) {
    const { amount, network, payTo } = offer
    const over = await buyer.budget.refusalOf(BigInt(amount), purposeOf(buyer.connection, path, offer))
    if (over === undefined) {
      const words = plain(`It would pay ${usdOf(amount)} USDC on ${networkName(network)} to ${payTo}`)
      return { ok: false, error: no('dry_run', words) }
    }
    unpaid ??= no('over_budget', over)
  }
  return { ok: false, error: unpaid ?? no('cannot_pay', 'the quote has no offer') }
}

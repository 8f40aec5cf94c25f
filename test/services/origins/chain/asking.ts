/** Asks an operation of the chain origin, with readers of the test's own. */

import type { Chains } from '../../../../pipelines/domains/chain/open-chains.ts'
import { Refused } from '../../../../services/offer/errors.ts'
import { type Operation, refuseFor, type Tools } from '../../../../services/offer/operation.ts'

/** Returns the answer, checked against the response, or the code of the refusal with its message. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of any operation
export async function asking(operation: Operation, question: unknown, chains: Chains): Promise<any> {
  const find = (async (lookup: { open(needs: unknown): { find(key: unknown): unknown } }, key: unknown) =>
    lookup.open({ chains }).find(key)) as unknown as Tools['find']
  try {
    const answer = await operation.answer(
      operation.request.parse(question),
      { find } as Tools,
      refuseFor(operation),
    )
    return operation.response.parse(JSON.parse(JSON.stringify(answer)))
  } catch (error) {
    if (error instanceof Refused) return { refused: error.code, message: error.message }
    throw error
  }
}

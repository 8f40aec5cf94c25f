/** Anybody can name a wallet as the payer of an unsigned payment. That must not shut its owner out. */
import { expect, it } from 'vitest'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { batchOf } from '../../../services/offer/batch.ts'
import { Refused } from '../../../services/offer/errors.ts'
import { defineOperation, type Tools } from '../../../services/offer/operation.ts'
import { refusalsAMinute } from '../../../services/offer/rate.ts'
import { answerOf } from '../../../services/query/answers.ts'
import { type Signed, seek, signed } from './paying.ts'
import { type Bench, failure, openBench } from './tills.ts'

const asking = defineOperation({
  ...seek,
  answer: async ({ say }, { find }) => {
    await find({} as Lookup<string, string>, 'key')
    return { said: say }
  },
})
const batch = batchOf(asking, {
  ...{ id: 'seekBatch', path: '/seek/batch', price: '0.002', title: 'Seek many', about: 'Seeks.' },
})
const tools = {
  find: async (_lookup: unknown, _key: unknown, mayAsk: () => Promise<void>) => void (await mayAsk()),
} as unknown as Tools

const forged = async (): Promise<Signed> => {
  const payment = await signed()
  payment.payload.signature += '00'
  return payment
}

const sellBatch = async ({ till }: Bench, payment: Signed) => {
  let made: Promise<string> | undefined
  const sold = till.sell({
    ...{ product: seek, question: '{}', idempotencyKey: undefined, caller: 'a forger', requestId: 'one' },
    payment: await till.check({ json: { ...payment } }, seek),
    answer: verified => {
      const items = Array.from({ length: refusalsAMinute }, () => ({ say: 'x' }))
      made = answerOf(batch, { items }, { tools, verified })
      return made
    },
  })
  await sold.catch(() => {})
  // The caller learns of the payment before the batch has ended.
  await made?.catch(() => {})
  return sold
}

it('by a batch whose payment is refused: it is told so, and the payer buys', async () => {
  const bench = await openBench()
  bench.facilitator.verify = 'refused'
  await expect(sellBatch(bench, await forged())).rejects.toMatchObject({ status: 402 })
  bench.facilitator.verify = 'well'
  await bench.buy(await signed(), { caller: 'the payer' })
})

it('by a refusal that asked before anybody knew whether the payer had signed', async () => {
  const bench = await openBench()
  bench.facilitator.verify = 'refused'
  const answer = async () => {
    throw Object.assign(new Refused('no_echo', 422, 'Nothing comes back'), { asks: refusalsAMinute })
  }
  const ask = { operation: seek, caller: 'a forger', answer }
  await expect(bench.buy(await forged(), ask)).rejects.toThrow()
  bench.facilitator.verify = 'well'
  await bench.buy(await signed(), { caller: 'the payer' })
  await expect(bench.buy(await signed(), ask)).rejects.toEqual(failure('too_many_requests'))
})

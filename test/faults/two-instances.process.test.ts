/** Two instances on one Kafka, and customers who send the same payment with the same key to both at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../pipelines/log/log.ts'
import { openLog } from '../../pipelines/log/open.ts'
import { defineOperation } from '../../services/operation.ts'
import { openTill } from '../../services/till/open.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { originOf } from '../services/an-origin.ts'
import { serve } from '../services/query/serve.ts'
import { echo, header, signed } from '../services/till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../services/till/stub-facilitator.ts'
import { options, topics } from '../services/till/till-options.ts'
import { settlementsOf } from '../services/till/tills.ts'

const rounds = Number(process.env.PAIR_ROUNDS ?? 15)
const atOnce = 5
const broker = await startBroker()

interface Instance {
  url: string
  log: Log
  close(): Promise<void>
}

if ('skipped' in broker) {
  it.skip(`two instances on one Kafka: ${broker.skipped}`, () => {})
} else
  describe('two instances on one Kafka', () => {
    let instances: Instance[] = []
    let facilitator: StubFacilitator
    let worked = 0
    const counting = defineOperation({ ...echo, answer: () => ({ said: `answer ${++worked}` }) })

    const { brokers } = broker

    async function openInstance(name: string): Promise<Instance> {
      const log = await openLog(`kafka://${brokers.join(',')}`, { topics })
      const origins = [originOf([counting])]
      const till = await openTill(options(log, facilitator.url, { origins, instance: name }))
      const { app, url } = await serve(till, origins)
      return {
        url,
        log,
        async close() {
          await app.close()
          await till.close()
          await log.close()
        },
      }
    }

    beforeAll(async () => {
      facilitator = await startStubFacilitator()
      instances = await Promise.all(['one', 'two'].map(openInstance))
    })
    afterAll(async () => {
      await Promise.all(instances.map(instance => instance.close()))
      await facilitator.close()
      await broker.stop()
    })

    /** The answers of both to one payment, without what says that one of them is a replay. */
    async function round(i: number) {
      const payment = await signed()
      const answers = await Promise.all(
        instances.map(async ({ url }) => {
          const response = await fetch(`${url}/echo`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'payment-signature': header(payment),
              'idempotency-key': `round-${i}-${payment.payload.authorization.nonce?.slice(0, 20)}`,
            },
            body: '{}',
          })
          const text = await response.text()
          return { status: response.status, text, replayed: text.includes(',"replayed":true') }
        }),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true])
      const [one, two] = answers.map(({ text }) => text.replace(',"replayed":true', ''))
      expect(one).toBe(two)
    }

    it(`answer ${rounds} payments once each`, async () => {
      let next = 0
      const customer = async () => {
        while (next < rounds) await round(next++)
      }
      await Promise.all(Array.from({ length: atOnce }, customer))
      expect(facilitator.calls.settle).toBe(rounds)
      expect(facilitator.moved.size).toBe(rounds)
      expect(worked).toBe(rounds)
      const events = await settlementsOf((instances[0] as Instance).log)
      const ours = events.filter(({ payment_tx }) =>
        [...facilitator.moved.values()].includes(payment_tx ?? ''),
      )
      expect(ours.map(({ state }) => state)).toEqual(Array.from({ length: rounds }, () => 'settled'))
    })
  })

/** Two instances on one Kafka. Customers send the same payment with the same key to both at once, on each of several paths. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ownWallet } from '../../pipelines/domains/books/facts.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { entryOf, type Log } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { bookDays } from '../../schemas/book-days.ts'
import { bookDifferences } from '../../schemas/book-differences.ts'
import { bookNotes } from '../../schemas/book-notes.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import { chainRanges } from '../../schemas/chain-ranges.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { finality, takenBack } from '../../schemas/finality.ts'
import { fxCorrections } from '../../schemas/fx-corrections.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { refunds } from '../../schemas/refunds.ts'
import { rejects } from '../../schemas/rejects.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { settlements } from '../../schemas/settlements.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { fromAtoms } from '../../schemas/tables/stablecoins.ts'
import { defineOperation } from '../../services/offer/operation.ts'
import { Challenges } from '../../services/query/mpp/challenges.ts'
import { openTill } from '../../services/till/open-till.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { startS3 } from '../contracts/s3-server.ts'
import { originOf } from '../services/an-origin.ts'
import { answerTo, authorized, type Challenge, challengesIn } from '../services/query/mpp/credentials.ts'
import { serve } from '../services/query/serve.ts'
import { saidByFile } from '../services/sell/said.ts'
import { largeAnswer } from '../services/till/large-answer.ts'
import { echo, header, payTo, type Signed, signed } from '../services/till/paying.ts'
import type { Moved } from '../services/till/stub-chain.ts'
import { type StubFacilitator, startStubFacilitator } from '../services/till/stub-facilitator.ts'
import { options, topics } from '../services/till/till-options.ts'
import { isAnswer, settlementsOf } from '../services/till/tills.ts'
import { until } from '../until.ts'
import { checkedBooks } from './books-check.ts'

const rounds = Number(process.env.PAIR_ROUNDS ?? 15)
const atOnce = 5
/** The words of a replay's receipt that the first receipt lacks. */
const replayMark = ',"replayed":true,"charged_now":false'
const [broker, s3] = await Promise.all([startBroker(), startS3()])

/** How one payment comes to the two instances, and what its facilitators do. */
const paths = ['one facilitator', 'MPP beside x402', 'two facilitators, of which the first fails'] as const
type Path = (typeof paths)[number]
/** Both instances have it. */
const challengeKey = `0x${'11'.repeat(32)}`

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
    const files: Awaited<ReturnType<typeof saidByFile>>[] = []
    let facilitator: StubFacilitator
    let second: StubFacilitator
    let worked = 0
    let drawn = 0
    const counting = defineOperation({ ...echo, answer: () => ({ said: `answer ${++worked}` }) })

    const picture = defineOperation({
      ...echo,
      id: 'picture',
      path: '/picture',
      costs: 'costly',
      response: z.object({ said: z.string(), picture: z.string() }),
      example: { request: {}, response: { said: 'picture 1', picture: '' } },
      answer: () => JSON.parse(largeAnswer(`picture ${++drawn}`)),
    })

    const { brokers } = broker
    // Without an S3 server, both share a folder.
    const folder = mkdtempSync(join(tmpdir(), 'farebox-two-'))
    const blobsUrl = 'skipped' in s3 ? `file:${folder}` : s3.url

    async function openInstance(): Promise<Instance> {
      const log = await openLog(`kafka://${brokers.join(',')}`, { topics })
      const blobs = await openBlobs(blobsUrl, { tryMs: 2000 })
      // Its upstream never says the same twice.
      const file = await saidByFile(() => JSON.stringify(`answer ${++worked}`))
      files.push(file)
      const origins = [originOf([counting, picture, file.said])]
      const usual = options(log, facilitator.url, { origins, blobs })
      const facilitators = [facilitator, second].map(({ url }) => ({ url }))
      const till = await openTill({ ...usual, config: { ...usual.config, facilitators } })
      const { app, url } = await serve(till, origins, {
        find: file.find,
        challenges: new Challenges([challengeKey], Date.now),
      })
      return {
        url,
        log,
        async close() {
          await app.close()
          await till.close()
          await blobs.close()
          await log.close()
        },
      }
    }

    beforeAll(async () => {
      facilitator = await startStubFacilitator()
      second = await startStubFacilitator()
      instances = await Promise.all([openInstance(), openInstance()])
    })
    afterAll(async () => {
      await Promise.all(instances.map(instance => instance.close()))
      await Promise.all([facilitator.close(), second.close(), ...files.map(file => file.end())])
      await broker.stop()
      if (!('skipped' in s3)) await s3.stop()
      rmSync(folder, { recursive: true })
    })

    const call = (instance: Instance, path: string, payment: Signed, key: string) =>
      present(instance, path, { 'payment-signature': header(payment), 'idempotency-key': key })

    async function present({ url }: Instance, path: string, paid: Record<string, string>) {
      const headers = { 'content-type': 'application/json', ...paid }
      const response = await fetch(url + path, { method: 'POST', headers, body: '{}' })
      const text = await response.text()
      return { status: response.status, text, replayed: text.includes(replayMark) }
    }

    /** The headers of one payment for each of the two. */
    async function paymentOn(path: Path, sold: string): Promise<Record<string, string>[]> {
      if (path !== 'MPP beside x402') {
        const paid = { 'payment-signature': header(await signed()) }
        return [paid, paid]
      }
      const unpaid = await fetch(`${instances[0]?.url}${sold}`, { method: 'POST', body: '{}' })
      const [challenge] = challengesIn(unpaid) as [Challenge]
      const { credential, x402 } = await answerTo(challenge)
      return [authorized(credential), { 'payment-signature': header(x402) }]
    }

    /** The answers of both to one payment, without the mark of a replay: of the code, and of a file in turn. */
    async function round(path: Path, nth: number) {
      const sold = nth % 2 ? '/echo' : '/said'
      const paid = await paymentOn(path, sold)
      const key = `round-${randomUUID()}`
      const answers = await Promise.all(
        instances.map((instance, i) => present(instance, sold, { ...paid[i], 'idempotency-key': key })),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true])
      const [one, two] = answers.map(({ text }) => text.replace(replayMark, ''))
      expect(one).toBe(two)
    }

    const settles = () => facilitator.calls.settle + second.calls.settle
    const movedNow = () => [facilitator, second].flatMap(({ moved }) => [...moved.values()])

    it.each(paths)(`answer ${rounds} payments once each: %s`, async path => {
      const isFailing = path === 'two facilitators, of which the first fails'
      facilitator.settle = isFailing ? 'error before' : 'well'
      const before = new Set(movedNow())
      let next = 0
      const customer = async () => {
        while (next++ < rounds) await round(path, next)
      }
      await Promise.all(Array.from({ length: atOnce }, customer))
      // One that is silent for a moment, as on a busy machine, may be asked twice, or another after it: money moves once all the same.
      const moved = new Set(movedNow()).difference(before)
      expect(moved.size).toBe(rounds)
      const { log } = instances[0] as Instance
      const told = async () =>
        (await settlementsOf(log)).filter(({ payment_tx }) => moved.has(payment_tx ?? ''))
      await until(async () => (await told()).length >= rounds, 'the settlements')
      expect((await told()).map(({ state }) => state)).toEqual(
        Array.from({ length: rounds }, () => 'settled'),
      )
      facilitator.settle = 'well'
    })

    it('give one large answer that no record holds', async () => {
      const payment = await signed()
      const moved = movedNow().length
      const answers = await Promise.all(
        instances.map(instance => call(instance, '/picture', payment, 'the-picture')),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true])
      for (const { text } of answers) expect(isAnswer(text, largeAnswer('picture 1'))).toBe(true)
      expect(drawn).toBe(1)
      expect(movedNow().length).toBe(moved + 1)
    })

    const { own } = 'skipped' in s3 ? {} : s3
    if (own)
      it.each([
        ['is dead', () => own.kill(), () => own.start()],
        ['hangs', async () => own.signal('SIGSTOP'), async () => own.signal('SIGCONT')],
      ])('lose nothing while the bucket %s', async (_what, stop, goOn) => {
        const [one, two] = instances as [Instance, Instance]
        const keys = {
          owed: `owed-${randomUUID()}`,
          other: `other-${randomUUID()}`,
          small: `small-${randomUUID()}`,
        }
        const owed = await signed()
        const sold = await call(one, '/picture', owed, keys.owed)
        expect(sold.status).toBe(200)
        const settled = settles()
        await stop()
        try {
          // The first payment was charged, so no error may say "not charged". The second one is refused free.
          const again = await call(two, '/picture', owed, keys.owed)
          expect(again.status).toBe(503)
          expect(JSON.parse(again.text)).toMatchObject({ error: 'payment_unknown', charged: null })
          const refused = await call(two, '/picture', await signed(), keys.other)
          expect(refused.status).toBe(503)
          expect(JSON.parse(refused.text)).toMatchObject({ error: 'log_unavailable', charged: false })
          expect(settles()).toBe(settled)
          expect((await call(two, '/echo', await signed(), keys.small)).status).toBe(200)
        } finally {
          await goOn()
        }
        const given = await call(two, '/picture', owed, keys.owed)
        expect(given.status).toBe(200)
        expect(given.text.replace(replayMark, '') === sold.text).toBe(true)
        // A new payment, because the refused one may have expired while the bucket came back.
        expect((await call(two, '/picture', await signed(), keys.other)).status).toBe(200)
      })

    // It comes last: it audits what all of the above have moved.
    it('have books in which transfers, topic, table, view, metrics and statement are the same', async () => {
      const logUrl = `kafka://${brokers.join(',')}`
      const of = booksOf as unknown as readonly Dataset[]
      const log = await openLog(logUrl, {
        topics: [...of, rejects, salesCounted].map(({ topic }) => topic),
      })
      try {
        const moved = new Map(
          [facilitator, second].flatMap(({ landed }) => landed.map(one => [one.tx, one] as const)),
        )
        await tellChain(log, [...moved.values()])
        const wallets = [ownWallet('base', payTo)]
        const checked = await checkedBooks({ log, logUrl, folder, wallets, nowMs: Date.now(), of })
        expect(checked.wrong).toEqual([])
        expect(checked.received.count).toBe(moved.size)
        // Money that no sale explains is seen.
        await tellChain(log, [{ ...([...moved.values()][0] as Moved), tx: `0x${'e'.repeat(64)}` }])
        const planted = await checkedBooks({
          ...{ log, logUrl, folder: `${folder}/planted`, wallets, nowMs: Date.now(), of },
        })
        expect(planted.wrong.join()).toContain(`no_sale`)
      } finally {
        await log.close()
      }
    })
  })

const booksOf = [
  ...[settlements, finality, takenBack, refunds, canaryPurchases, chainPayments, chainRanges],
  ...[bookDays, bookDifferences, bookNotes, fxRates, fxCorrections],
]

/** The facilitators have no chain. What they moved is told as its readers would tell it. */
async function tellChain(log: Log, moved: readonly Moved[]): Promise<void> {
  const at = new Date().toISOString()
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  await log.append(
    chainPayments.topic,
    moved.map(({ tx, from, to, value, nonce }) =>
      entryOf(chainPayments, {
        ...{ network: 'base', at, tx, position: 1, block: 1, payer: from.toLowerCase() },
        ...{ pay_to: to.toLowerCase(), amount: fromAtoms(BigInt(value), 6), asset: networks.base.asset },
        ...{ method: 'eip3009', facilitator: '0xf', nonce, provisional: false, withdrawn: false },
      }),
    ),
  )
  await log.append(chainRanges.topic, [
    entryOf(chainRanges, {
      ...{ network: 'base', from_block: 0, to_block: 1, from_at: hourAgo, to_at: at },
      ...{ sellers_after: '1970-01-01T00:00:00.000Z', sellers_until: at, wallets: 1 },
      ...{ payments: moved.length, plain: 0, unread: 0, last_hash: '0x1' },
    }),
  ])
}

/** Sends mutated requests to the real server, for what the code and a file sell, over keep-alive sockets. FUZZ_CASES is their number, FUZZ_SEED the seed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { random } from '../faults/plan.ts'
import { signed } from '../services/till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../services/till/stub-facilitator.ts'
import type { Vitals } from './fuzz-server.ts'
import { type Draw, request } from './mutations.ts'
import { type Answer, RawClient } from './raw-client.ts'
import { solanaPayment, solanaTransaction } from './solana-payment.ts'

const cases = Number(process.env.FUZZ_CASES ?? 5000)
const seed = Number(process.env.FUZZ_SEED ?? 1)
const isLong = cases >= 100_000
const allowed = new Set([200, 400, 402, 404, 405, 409, 413, 415, 422, 429, 431, 502, 503])
/** Codes of requests that end before anybody has looked for a payment in them. */
const unread = ['headers_too_large', 'invalid_request']
const clients = 8
/** The requests from each address: fewer than any limit of a minute allows. */
const fromEach = 10
/** The service remembers sales for ten minutes, and junk never. */
const growthBytes = 48 << 20

let facilitator: StubFacilitator
let server: ChildProcess
let port: number
let sold: string[]
const folder = mkdtempSync(join(tmpdir(), 'farebox-fuzz-'))

beforeAll(async () => {
  facilitator = await startStubFacilitator()
  const script = fileURLToPath(new URL('./fuzz-server.ts', import.meta.url))
  server = spawn(process.execPath, ['--expose-gc', script, folder, facilitator.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [said] = await once(server.stdout as NonNullable<typeof server.stdout>, 'data')
  ;({ port, sold } = JSON.parse(String(said)))
})
afterAll(async () => {
  server.stdin?.end()
  await once(server, 'exit')
  await facilitator.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

const vitals = async (): Promise<Vitals> =>
  (await (await fetch(`http://127.0.0.1:${port}/vitals`)).json()) as Vitals

const addressOf = (n: number): string => {
  const caller = Math.floor(n / fromEach)
  return `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}`
}

/** Finds the fault in an answer. */
function fault(answer: Answer | undefined, hasBody: boolean): string | undefined {
  if (!answer) return 'no answer'
  if (!allowed.has(answer.status)) return `status ${answer.status}`
  if (answer.status === 200 || !hasBody) return undefined
  if (answer.status === 402 && !/\r\npayment-required: /i.test(answer.headers)) return 'a 402 without a quote'
  return isTold(JSON.parse(answer.body)) ? undefined : `not the error body: ${answer.body}`
}

interface ErrorBody {
  error: unknown
  message: string
  charged?: boolean | null
}

/** Is the word about a charge allowed? A transaction in it must be one that took a payment. */
function isTold({ error, message, charged }: ErrorBody): boolean {
  if (typeof error !== 'string') return false
  if (charged === undefined) return unread.includes(error)
  if (charged === null) return message.endsWith('retry the same payment.')
  if (!charged) return message.endsWith('Nothing was charged.')
  const tx = / the payment was charged before, with transaction (\w+)\.$/.exec(message)?.[1]
  return [...facilitator.moved.values()].some(moved => moved === tx)
}

it(`answers ${cases} mutated requests in its own words`, async () => {
  const next = random(seed)
  const draw: Draw = below => Math.floor(next() * below)
  const wrong: { fault: string; sent: string }[] = []
  const seen = new Map<number, number>()
  let begun = 0
  let payments: object[] = []

  async function sign(): Promise<void> {
    const transaction = solanaTransaction(String(begun))
    const flipped = Buffer.from(transaction)
    flipped.writeUInt8(draw(256), draw(flipped.length))
    payments = [await signed(), await signed(), solanaPayment(transaction), solanaPayment(flipped)]
  }

  async function fuzz(count: number): Promise<void> {
    const end = begun + count
    const caller = async () => {
      const client = new RawClient(port)
      while (begun < end && wrong.length < 20) {
        if (begun++ % 100 === 0) await sign()
        const payment = payments[draw(payments.length)] as object
        const { bytes, hasBody, unframed } = request(draw, payment, { from: addressOf(begun), sold })
        const answer = await client.send(bytes, hasBody)
        if (unframed) client.close()
        const found = fault(answer, hasBody)
        if (found) wrong.push({ fault: found, sent: bytes.toString('latin1').slice(0, 1500) })
        if (answer) seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      }
      client.close()
    }
    await Promise.all(Array.from({ length: clients }, caller))
  }

  expect(sold).toEqual(['/echo', '/shout', '/said'])
  await sign()
  await fuzz(Math.ceil(cases / 5))
  const warm = await vitals()
  await fuzz(cases - begun)
  const end = await vitals()
  const grown = end.heapBytes - warm.heapBytes
  const statuses = [...seen].sort(([a], [b]) => a - b).map(([status, times]) => `${status} x ${times}`)
  process.stdout.write(
    `\n${begun} requests: ${statuses.join(', ')}; heap ${(grown / 2 ** 20).toFixed(1)} MB more; longest work ${end.longestWorkMs} ms, longest delay ${end.longestDelayMs} ms\n`,
  )
  expect(wrong).toEqual([])
  expect(seen.get(429) ?? 0).toBeLessThan(begun / 20)
  for (const status of [200, 400, 402, 409]) expect(seen.get(status) ?? 0).toBeGreaterThan(begun / 500)
  expect(grown).toBeLessThan(growthBytes)
  if (isLong) expect(end.longestWorkMs).toBeLessThan(100)
})

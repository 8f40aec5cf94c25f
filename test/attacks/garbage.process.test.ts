/**
 * Asks every route and every tool of the whole service, and of each example of a file that sells, absurd questions, and pays where payment
 * is due. Whatever a stranger sends, a failure is his or the world's, and never ours. `FUZZ_CASES` is the number of questions.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { base64, quoteIn } from '../../services/client/quote.ts'
import { findNote } from '../../services/sandbox/note.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { random } from '../faults/plan.ts'
import { scratchFolder } from '../scratch.ts'
import { type RunningSandbox, runSandbox } from '../services/sandbox/running.ts'
import { soldExamples } from '../services/sell/sold-examples.ts'
import { oddities, spoiled } from './garbage.ts'
import { type Offered, offeredBy, toolsOf } from './offered.ts'

const cases = Number(process.env.FUZZ_CASES ?? 600)
const next = random(Number(process.env.FUZZ_SEED ?? 1))
const draw = (below: number): number => Math.floor(next() * below)
const one = <T>(from: readonly T[]): T => from[draw(from.length)] as T

let sandbox: RunningSandbox
let payer: Awaited<ReturnType<typeof payingClient>>
let operations: Offered[]
let routes: Pick<Offered, 'path' | 'method' | 'question'>[]
let tools: { name: string; question: Offered['question'] }[]
const ends: (() => Promise<void> | void)[] = []
let examples: Awaited<ReturnType<typeof soldExamples>>

beforeAll(async () => {
  examples = await soldExamples(scratchFolder(end => ends.push(end)))
  sandbox = await runSandbox({
    ...{ RATE_LIMIT: '1000000', FREE_CALLS_A_DAY: '1000000', TRUST_PROXY: 'true' },
    ...examples.env,
  })
  const offered = await offeredBy(sandbox.url)
  operations = offered.filter(({ isPaid }) => isPaid)
  routes = [...offered.filter(({ isPaid }) => !isPaid), verification]
  const questions = new Map(
    offered.map(({ path, question }) => [path.slice(1).replaceAll('/', '_'), question]),
  )
  const names = new Set([...questions.keys(), ...(await toolsOf(sandbox.url))])
  tools = [...names].map(name => ({ name, question: questions.get(name) ?? {} }))
  const chain = (await findNote(sandbox.folder))?.chains.find(({ network }) => network === 'base')
  payer = await payingClient(chain as NonNullable<typeof chain>)
})
afterAll(async () => {
  await sandbox?.stop()
  await examples?.end()
  for (const end of ends) await end()
})

type Quote = Parameters<typeof payer.createPaymentPayload>[0]

interface Sent {
  path: string
  method?: 'GET'
  body?: string
  headers?: Record<string, string>
}

/** Asks as a new caller each time, so that no limit hides a fault. */
const ask = ({ path, method, body, headers = {} }: Sent): Promise<Response> =>
  fetch(sandbox.url + path, {
    method: method ?? 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `10.${draw(256)}.${draw(256)}.${draw(256)}`,
      ...headers,
    },
    ...(body !== undefined && { body }),
  })

const paid = async (path: string): Promise<Record<string, unknown>> => {
  const quote = quoteIn(await ask({ path, body: '{}' }))
  return { ...(await payer.createPaymentPayload(quote as unknown as Quote)) }
}

/** Costly operations get fewer paid questions. */
async function bought(): Promise<Sent> {
  const { path, question } = one(operations)
  const payment = await paid(path)
  const isSpoiled = draw(3) === 0
  const header = isSpoiled ? spoiled(payment, draw) : JSON.stringify(payment)
  const body = isSpoiled ? JSON.stringify(question) : spoiled(question, draw)
  return { path, body, headers: { 'payment-signature': Buffer.from(header).toString('base64') } }
}

const signed = { payload: {}, signature: '0x' }
const verification = {
  path: '/receipts/verify',
  method: 'POST' as const,
  question: {
    settlement: { extensions: { 'farebox-receipt': { info: { receipt: signed, answer: signed } } } },
    ...{ question: { a: 1 }, answer: { a: 1 } },
  },
}

function asked(): Sent {
  const { path, method, question } = one(routes)
  if (method === 'POST') return { path, body: spoiled(question, draw) }
  const query = Object.entries(question).map(
    ([name, value]) =>
      `${name}=${draw(2) ? encodeURIComponent(String(value)) : encodeURI(one(oddities).slice(0, 2000).toWellFormed())}`,
  )
  return { path: `${path}?${query.join('&')}`, method: 'GET' }
}

async function called(): Promise<Sent> {
  const { name, question } = one(tools)
  const given: Record<string, unknown> = { ...question }
  const meta: Record<string, unknown> = {}
  const payment = draw(2) ? { x402Version: 2, payload: {}, extensions: { bazaar: {} } } : undefined
  if (payment)
    (draw(2) ? given : meta)[draw(2) ? 'payment' : 'x402/payment'] = draw(2) ? payment : base64(payment)
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given, _meta: meta },
  }
  return { path: '/mcp', body: spoiled(draw(3) ? message : { ...message, method: one(methods) }, draw) }
}
const methods = ['initialize', 'ping', 'tools/list', 'resources/list', 'resources/read', 'prompts/list', '']

/** Of each example, and of what has moved out of the tree. */
const ofFiles = [
  ...['/tide', '/chart', '/list-berths', '/route', '/rates/since', '/day/length', '/day/length/batch'],
  ...['/moved/geocode', '/moved/reverse'],
]

it(`no failure of ${cases} is ours`, async () => {
  const paths = operations.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['/fx', '/read', ...ofFiles]))
  const wrong: object[] = []
  const seen = new Map<number, number>()
  let begun = 0
  const caller = async () => {
    while (begun++ < cases && wrong.length < 20) {
      const sent = await one([bought, bought, asked, called, called])()
      const answer = await ask(sent)
      const text = await answer.text()
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      if (
        answer.status === 500 ||
        text.includes('our fault') ||
        text.includes('internal_error') ||
        /"code":-32603/.test(text)
      )
        wrong.push({ ...sent, status: answer.status, text: text.slice(0, 300) })
    }
  }
  await Promise.all(Array.from({ length: 4 }, caller))
  process.stdout.write(`\n${cases}: ${JSON.stringify([...seen].sort())}\n`)
  expect(wrong).toEqual([])
  expect(sandbox.said).not.toContain('our fault')
})

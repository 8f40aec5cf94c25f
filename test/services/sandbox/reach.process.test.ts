/** The example of every operation, by every way in. It buys each of them seven times, so it belongs to the long form. */
import { execFile, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFarebox } from '../../../services/client/farebox.ts'
import { networkId } from '../../../services/client/networks.ts'
import { operations as named } from '../../../services/client/operations.ts'
import { purseInFile } from '../../../services/client/purse-file.ts'
import { type Offer, type Quote, quoteIn } from '../../../services/client/quote.ts'
import type { Result } from '../../../services/client/results.ts'
import { signed } from '../../../services/client/wallet.ts'
import type { Operation } from '../../../services/offer/operation.ts'
import { marketDataset } from '../../../services/origins/data/market/market-dataset.ts'
import { origins } from '../../../services/origins/index.ts'
import { weighSubscribe } from '../../../services/origins/watch/weigh/subscribe.ts'
import { pythonName } from '../../../services/query/catalog/python.ts'
import { toolName } from '../../../services/query/mcp/tools.ts'
import { signedMessage } from '../../../services/sandbox/weigh.ts'
import { noBrowser } from '../../browser-folder.ts'
import { until } from '../../until.ts'
import { installedPython } from '../client/python.ts'
import { clientOf } from '../query/mcp/connected.ts'
import { answerTo, authorized, type Challenge, challengesIn, decoded } from '../query/mpp/credentials.ts'
import { evmKey, type RunningSandbox, runSandbox } from './running.ts'

const run = promisify(execFile)
const isLong = process.env.LONG_FORM !== undefined
const operations = origins.flatMap(origin => origin.operations)
const wallet = { evmKey }

/** What a model has to read: the text, and the same as an object. The dataset is one large document, and says so. */
const mostOverMcp = 30_000
const largest: ReadonlySet<string> = new Set([marketDataset.id])
const mustBeShort = ({ id, path }: Operation, told: object) => {
  const { content = [] } = told as { content?: readonly { text?: string }[] }
  const texts = content.map(({ text = '' }) => text)
  if (!largest.has(id)) expect([path, 2 * texts.join('').length]).toEqual([path, expect.toSatisfy(isShort)])
}
const isShort = (chars: number) => chars <= mostOverMcp

interface Outcome {
  receipt?: { charged: boolean } | undefined
  error?: string | undefined
}

type Ask = (operation: Operation, question: object) => Promise<Outcome>

let sandbox: RunningSandbox
let missing: string | undefined

const overHttp = async (): Promise<Ask> => {
  const payer = new x402Client()
    .setSpendControls(false)
    .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(evmKey)))
  const pay = wrapFetchWithPayment(fetch, payer)
  return async ({ path }, question) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await pay(sandbox.url + path, { method: 'POST', headers, body: JSON.stringify(question) })
    return (await answer.json()) as Outcome
  }
}

/** A tool on trial would answer free instead of quoting. The quote of its path pays for the tool, too. */
async function paymentFor({ path }: Operation): Promise<Record<string, unknown>> {
  const quote = quoteIn(await fetch(sandbox.url + path, { method: 'POST' })) as Quote
  const offer = quote.accepts.find(({ network }) => network === networkId('base')) as Offer
  return { 'x402/payment': await signed(wallet, quote, offer) }
}

const overMcp = async (): Promise<Ask> => {
  const client = await clientOf(`${sandbox.url}/mcp`)
  return async (operation, question) => {
    const _meta = await paymentFor(operation)
    const told = await client.callTool({ name: toolName(operation), arguments: { ...question }, _meta })
    mustBeShort(operation, told)
    return told.structuredContent as Outcome
  }
}

const overModernMcp = async (): Promise<Ask> => {
  const mode = { pin: '2026-07-28' }
  const client = new ModernClient({ name: 'a-test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${sandbox.url}/mcp`)))
  onTestFinished(() => client.close())
  return async (operation, question) => {
    const _meta = await paymentFor(operation)
    const told = await client.callTool({ name: toolName(operation), arguments: { ...question }, _meta })
    mustBeShort(operation, told)
    return told.structuredContent as Outcome
  }
}

const overMpp = async (): Promise<Ask> => {
  const payer = privateKeyToAccount(evmKey)
  return async ({ path }, question) => {
    const headers = { 'content-type': 'application/json' }
    const asked = { method: 'POST', body: JSON.stringify(question) }
    const challenges = challengesIn(await fetch(sandbox.url + path, { ...asked, headers }))
    const [challenge] = challenges.filter(({ request }) => decoded(request).methodDetails.chainId === 8453)
    const { credential } = await answerTo(challenge as Challenge, { payer })
    const paid = { ...headers, ...authorized(credential) }
    return (await (await fetch(sandbox.url + path, { ...asked, headers: paid })).json()) as Outcome
  }
}

const byTheClient = async (): Promise<Ask> => {
  const farebox = createFarebox({
    ...{ url: sandbox.url, wallet, network: 'base', maxUsdPerCall: 10, maxUsdPerDay: 100 },
    purse: purseInFile(join(sandbox.folder, 'purse')),
  }) as unknown as Record<string, (question: object) => Promise<Result>>
  const nameAt = new Map(Object.entries(named).map(([name, { path }]) => [path as string, name]))
  return async ({ path }, question) => {
    const result = await farebox[nameAt.get(path) ?? '']?.(question)
    if (result?.ok) return { receipt: result.receipt as Outcome['receipt'] }
    return { error: result?.error.code ?? 'no such name' }
  }
}

const byTheClientInPython = async (): Promise<Ask> => {
  const own = await installedPython(join(sandbox.folder, 'python'))
  const env = {
    ...process.env,
    PYTHONPATH: own.path,
    FAREBOX_URL: sandbox.url,
    FAREBOX_KEY: evmKey,
    XDG_STATE_HOME: join(sandbox.folder, 'python-state'),
  }
  const program = resolve('test/services/client/python/questions.py')
  const asking = spawn(own.python, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void asking.stdin.end())
  const lines = createInterface(asking.stdout)[Symbol.asyncIterator]()
  return async ({ path }, question) => {
    asking.stdin.write(`${JSON.stringify([pythonName(path), question])}\n`)
    const { done, value } = await lines.next()
    return done ? { error: 'the client in Python has ended' } : (JSON.parse(value) as Outcome)
  }
}

const byTheCommand = async (): Promise<Ask> => {
  const env = {
    ...process.env,
    FAREBOX_URL: sandbox.url,
    FAREBOX_KEY: evmKey,
    XDG_STATE_HOME: sandbox.folder,
  }
  const caps = ['--max-usd', '10', '--max-usd-a-day', '1000', '--network', 'base', '--json']
  return async ({ path }, question) => {
    const args = [resolve('services/client/main.ts'), 'call', path, JSON.stringify(question), ...caps]
    const { stdout } = await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 }).catch(
      (failed: { stdout: string }) => failed,
    )
    const { receipt, error } = JSON.parse(stdout)
    return { ...(receipt && { receipt }), ...(error && { error: error.code }) }
  }
}

describe.skipIf(!isLong)(`every example${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  beforeAll(async () => {
    missing = await noBrowser()
    sandbox = await runSandbox({ RATE_LIMIT: '100000' })
    await until(
      async () => (await fetch(`${sandbox.url}/market`)).ok,
      'the first release of the market',
      60_000,
    )
  })
  afterAll(() => sandbox?.stop())

  it.each([
    ['over HTTP, with the client of x402', overHttp],
    ['over MPP', overMpp],
    ['over MCP with initialize', overMcp],
    ['over MCP of 2026-07-28', overModernMcp],
    ['by the client in TypeScript', byTheClient],
    ['by the client in Python', byTheClientInPython],
    ['by the command', byTheCommand],
  ])('is answered and paid %s', async (_, open) => {
    const ask = await open()
    const outcomes: [path: string, error: string | undefined, charged: boolean | undefined][] = []
    for (const operation of operations) {
      const question = () =>
        operation.id === weighSubscribe.id
          ? signedMessage(sandbox, 'base')
          : (operation.example.request as object)
      let told = await ask(operation, await question())
      // A machine may be slow to show a page.
      await until(
        async () => {
          if (told.error === 'busy' || told.error === 'not_ready')
            told = await ask(operation, await question())
          return told.receipt !== undefined || missing !== undefined
        },
        operation.path,
        60_000,
      ).catch(() => undefined)
      if (missing === undefined || told.error !== 'not_ready')
        outcomes.push([operation.path, told.error, told.receipt?.charged])
    }
    expect(outcomes.filter(([, error, charged]) => error !== undefined || !charged)).toEqual([])
    expect(outcomes.length).toBeGreaterThanOrEqual(operations.length - 3)
  })
})

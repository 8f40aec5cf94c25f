/** `farebox`: ask for a price, call, pay, verify a receipt. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { completion, nearest } from './completion.ts'
import { createFarebox, type Farebox, type Name, type Result } from './farebox.ts'
import { networkName } from './networks.ts'
import { operations } from './operations.ts'
import type { Purse } from './purse.ts'
import { plain, usdOf } from './quote.ts'
import type { Wallet } from './wallet.ts'

const usage = `farebox catalog                     what is sold, with prices
farebox quote <path>                what a call costs, and where it is paid; pays nothing
farebox call <path> [json]          asks, pays, prints the answer; without a price it is just asked
farebox market best <task>          the x402 tools that others pay for a task
farebox receipt verify <file> [json]  whether what \`call --json\` printed is signed by the seller; json is the question
farebox completion bash|zsh         completion of words, paths and options: eval "$(farebox completion bash)"

  --url URL                where Farebox is (FAREBOX_URL; http://127.0.0.1:8402)
  --network NAME           pay on base, solana or another
  --key-file FILE          the wallet's key (FAREBOX_KEY): 0x… of an EVM account, or a Solana key
  --solana-rpc URL         a node of Solana (FAREBOX_SOLANA_RPC)
  --max-usd N              for one call (1)
  --max-usd-a-day N        for all calls of a day (5)
  --idempotency-key TEXT   the same key, path and question is answered again and not charged again
  --payment TEXT           a payment that was presented before, after a lost connection
  --patience SECONDS       how long a lost connection is tried again (60)
  --json                   nothing but JSON

It ends with 0: answered. 1: it broke. 2: wrong words. 3: refused, nothing charged, or a receipt that is not genuine.
4: not paid, for the caps or the wallet forbid it. 5: nobody can tell whether it was charged, or what became of its answer.
6: it was charged, and its answer can be had again. 7: it was charged, and its answer is kept no longer. With 5 and 6 the payment
to present again is printed.`

const exits = {
  answered: 0,
  broke: 1,
  words: 2,
  refused: 3,
  unpaid: 4,
  unknown: 5,
  kept: 6,
  gone: 7,
} as const
const presented = {
  unknown: 'present it again with',
  kept: 'it was charged, and its answer is kept: ask the same question with the wallet that paid and',
} as const
const words = ['catalog', 'quote', 'call', 'market', 'receipt', 'completion', 'help']
const named = Object.entries(operations) as [Name, (typeof operations)[Name]][]
const paths = named.map(([, { path }]) => path)

class WrongWords extends Error {}

/** What the command finds where it is started. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  purse: Purse
  fetch?: typeof fetch
}

const options = {
  url: { type: 'string' },
  network: { type: 'string' },
  'key-file': { type: 'string' },
  'solana-rpc': { type: 'string' },
  'max-usd': { type: 'string' },
  'max-usd-a-day': { type: 'string' },
  'idempotency-key': { type: 'string' },
  payment: { type: 'string' },
  patience: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function command(
  args: string[],
  { env, purse, fetch = globalThis.fetch }: Surroundings,
): Promise<number> {
  const { values, positionals } = parsed(args)
  const [word = 'help', ...rest] = positionals
  if (values.help || word === 'help') return say(usage)
  if (!words.includes(word)) throw new WrongWords(`there is no "${word}"${meant(word, words)}`)
  if (word === 'completion') return say(completion(rest[0], words, paths, Object.keys(options)))
  const url = values.url ?? env.FAREBOX_URL ?? 'http://127.0.0.1:8402'
  const farebox = createFarebox({
    url,
    wallet: walletOf(
      values['key-file'] === undefined ? (env.FAREBOX_KEY ?? '') : readFileSync(values['key-file'], 'utf8'),
      values['solana-rpc'] ?? env.FAREBOX_SOLANA_RPC,
    ),
    network: values.network,
    maxUsdPerCall: values['max-usd'],
    maxUsdPerDay: values['max-usd-a-day'],
    purse,
    patienceMs: values.patience === undefined ? undefined : Number(values.patience) * 1000,
    fetch,
  })
  const asking = { key: values['idempotency-key'], payment: values.payment }
  if (word === 'catalog') return catalog(url, values.json)
  if (word === 'quote') return quote(farebox, pathIn(rest[0]), values.json)
  if (word === 'market') return show(await farebox.marketBest({ task: taskIn(rest) }, asking), values.json)
  if (word === 'receipt') return verified(await farebox.receiptsVerify(receiptIn(rest)), values.json)
  const path = pathIn(rest[0])
  const [name] = named.find(([, each]) => each.path === path) as (typeof named)[number]
  const ask = farebox[name] as (...asked: [object, typeof asking]) => Promise<Result>
  return show(await ask(questionIn(rest[1]), asking), values.json)
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new WrongWords((error as Error).message)
  }
}

function pathIn(word: string | undefined): string {
  if (word === undefined) throw new WrongWords('which path?')
  const path = word.startsWith('/') ? word : `/${word}`
  if (!paths.includes(path as never)) throw new WrongWords(`there is no ${path}${meant(path, paths)}`)
  return path
}

function taskIn([what, ...task]: string[]): string {
  if (what !== 'best' || !task.length) throw new WrongWords('say: farebox market best <task>')
  return task.join(' ')
}

/** A file holds what `call --json` printed, or the value of PAYMENT-RESPONSE; `-` is what is piped in. */
function receiptIn([what, file, question]: string[]) {
  if (what !== 'verify' || file === undefined) throw new WrongWords('say: farebox receipt verify <file>')
  const text = readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  const asked = question === undefined ? {} : { question: questionIn(question) as Record<string, unknown> }
  if (!text.startsWith('{')) return { settlement: text, ...asked }
  const { settlement, answer, ...bare } = questionIn(text) as Record<string, Record<string, unknown>>
  return { settlement: settlement ?? bare, ...(answer && { answer }), ...asked }
}

function questionIn(text = '{}'): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new WrongWords(`this is not JSON: ${text}`)
  }
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  return near ? `; did you mean ${near}?` : `; there are ${known.join(', ')}`
}

function walletOf(text: string, solanaRpcUrl: string | undefined): Wallet {
  const keys = text
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line && !line.startsWith('#'))
  const isEvm = (key: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(key)
  return { evmKey: keys.find(isEvm), solanaKey: keys.find(key => !isEvm(key)), solanaRpcUrl }
}

interface Listed {
  method: string
  url: string
  price_usdc?: string
  title: string
}

async function catalog(url: string, json: boolean): Promise<number> {
  const text = await (await fetch(url, { headers: { accept: 'application/json' } })).text()
  if (json) return say(text)
  const { operations, free } = JSON.parse(text) as Record<'operations' | 'free', Listed[]>
  const rows = [...operations, ...free].map(
    ({ url, price_usdc = 'free', title }) =>
      `${new URL(url).pathname.padEnd(18)} ${price_usdc.padStart(6)}  ${title}`,
  )
  return say(rows.join('\n'))
}

async function quote(farebox: Farebox, path: string, json: boolean): Promise<number> {
  const quoted = await farebox.quote(path)
  if (!quoted) return say(json ? 'null' : `${path} is free, or not sold now`)
  if (json) return say(JSON.stringify(quoted, null, 2))
  return say(
    quoted.accepts
      .map(({ amount, network, payTo }) =>
        plain(`${usdOf(amount)} USDC on ${networkName(network)} to ${payTo}`),
      )
      .join('\n'),
  )
}

function verified(result: Awaited<ReturnType<Farebox['receiptsVerify']>>, json: boolean): number {
  const ended = show(result, json)
  if (!result.ok) return ended
  const { valid, signer } = result.answer
  if (!json) console.error(valid ? `signed by ${signer}` : 'not genuine')
  return valid ? exits.answered : exits.refused
}

function show(result: Result, json: boolean): number {
  if (json) console.log(JSON.stringify(result, null, 2))
  else if (result.ok) console.log(JSON.stringify(result.answer, null, 2))
  if (result.ok) {
    const { settlement, replayed, receipt } = result
    if (!json && settlement)
      console.error(
        replayed
          ? 'replayed, nothing was paid'
          : plain(
              `paid ${receipt?.price_usdc} USDC on ${networkName(settlement.network)}: ${settlement.transaction}`,
            ),
      )
    return exits.answered
  }
  const { code, message, charged, payment, answer } = result.error
  if (!json) console.error(plain(`${code}: ${message}`))
  if (!json && payment && answer !== 'gone')
    console.error(`${presented[answer ?? 'unknown']} --payment ${payment}`)
  if (code === 'over_budget' || code === 'cannot_pay') return exits.unpaid
  return charged === false ? exits.refused : exits[answer ?? 'unknown']
}

function say(text: string): number {
  console.log(text)
  return exits.answered
}

/** Runs the command and gives its exit code. */
export async function run(args: string[], surroundings: Surroundings): Promise<number> {
  // Whoever reads no further, as head does, has seen enough.
  process.stdout.on('error', () => process.exit(0))
  try {
    return await command(args, surroundings)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    if (!(error instanceof WrongWords)) return exits.broke
    console.error('farebox help tells more')
    return exits.words
  }
}

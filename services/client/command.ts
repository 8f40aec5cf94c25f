/** `farebox`: ask for a price, call, pay, verify a receipt. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { WrongAsking } from './buying.ts'
import { completion, nearest } from './completion.ts'
import { ask, type ConnectionOptions } from './connection.ts'
import { createFarebox, type Farebox, type Name } from './farebox.ts'
import type { KeepInFolder } from './keep-folder.ts'
import { type KeepWatch, watched } from './keep-watch.ts'
import type { Kept } from './kept.ts'
import { keysIn } from './key-text.ts'
import { listedAt } from './listed.ts'
import { networkName } from './networks.ts'
import { amountOf, listed, named, worthOf } from './open-list.ts'
import { operations } from './operations.ts'
import { policyIn, WrongPolicy } from './policy.ts'
import { exits, say, show, spentLines } from './printing.ts'
import type { Purse } from './purse.ts'
import { plain, shownJson, usdOf } from './quote.ts'
import { receipt } from './receipt-word.ts'
import type { Problem, Result } from './results.ts'
import { tellingOfSilence } from './silence.ts'
import type { Spent } from './spending.ts'
import type { Wallet } from './wallet.ts'
import {
  addressIn,
  dollarsIn,
  fieldsIn,
  networkIn,
  patienceIn,
  questionIn,
  quoted,
  version,
  WrongWords,
} from './words.ts'

const usage = `farebox catalog                     what is sold, with prices
farebox quote <path>                what a call costs, and where it is paid; pays nothing
farebox call <path> [json]          asks, pays, prints the answer; without a price it is just asked. json is - where it is piped in
farebox spent                       what was signed, a line each, and the sum of each day
farebox payments                    the payments that are open; fetch <id> asks with one again, drop <id> forgets it
farebox market best <task>          the x402 tools that others pay for a task
farebox receipt verify <file> [json]  whether what \`call --json\` printed is signed by the seller; json is the question.
                                    With --signer nobody is asked, and no network is needed
farebox completion bash|zsh         completion of words, paths and options: eval "$(farebox completion bash)"

  --url URL                where Farebox is (FAREBOX_URL; http://127.0.0.1:8402)
  --network NAME           pay on base, solana or another
  --key-file FILE          the wallet's key (FAREBOX_KEY): 0x… of an EVM account, or a Solana key
  --solana-rpc URL         a node of Solana (FAREBOX_SOLANA_RPC)
  --max-usd N              for one call (1)
  --max-usd-a-day N        for all calls of a day (5)
  --policy FILE            caps by host, operation and payee, too (FAREBOX_POLICY)
  --fields NAMES           less of the answer: rate,receipt.payment_tx; the price is the same
  --dry-run                says what would be paid; signs and pays nothing
  --idempotency-key TEXT   the same key, path and question is answered again and not charged again, for 10 minutes
                           after it was paid; later it pays anew (--max-usd 0 asks without paying)
  --payment TEXT           a payment that was presented before, after a lost connection
  --patience SECONDS       how long a lost connection is tried again (60), and one try lasts (300; never less than 10)
  --signer ADDRESS         who signs receipts, as you know him; several times for several
  --json                   nothing but JSON
  --version, --help        which farebox this is, and these words

Where the seller refuses a payment, uncharged, the next network that the wallet has a key for is tried at once, within the same caps;
--network allows one alone.

A payment is kept on the disk from before it is sent until its answer is printed. Whoever is interrupted gives the same command again:
it presents the same payment, and pays nothing new.

It ends with 0: answered. 1: it broke. 2: wrong words. 3: refused, nothing charged, or a receipt that is not genuine.
4: not paid, for the caps or the wallet forbid it. 5: nobody can tell whether it was charged, or what became of its answer.
6: it was charged, and its answer can be had again. 7: it was charged, and its answer is kept no longer. With 5 and 6 the same command
presents the same payment again.`

const words = ['catalog', 'quote', 'call', 'market', 'payments', 'spent', 'receipt', 'completion', 'help']
const namedOperations = Object.entries(operations) as [Name, (typeof operations)[Name]][]
const paths = namedOperations.map(([, { path }]) => path)

/** The surroundings of the command when it starts. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  purse: Purse
  /** Where payments are kept until their answers are here. Absent: nowhere. */
  keep?: KeepInFolder
  /** Where what was signed is written down. Absent: nowhere. */
  spending?: { write(spent: Spent): void; read(): readonly Spent[] }
  fetch?: typeof fetch
}

const options = {
  url: { type: 'string' },
  network: { type: 'string' },
  'key-file': { type: 'string' },
  'solana-rpc': { type: 'string' },
  'max-usd': { type: 'string' },
  'max-usd-a-day': { type: 'string' },
  policy: { type: 'string' },
  fields: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  'idempotency-key': { type: 'string' },
  payment: { type: 'string' },
  patience: { type: 'string' },
  signer: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function command(args: string[], surroundings: Surroundings, watch?: KeepWatch): Promise<number> {
  const { env, purse, keep, spending } = surroundings
  const fetch = tellingOfSilence(surroundings.fetch ?? globalThis.fetch)
  const { values, positionals } = parsed(args)
  const [word = 'help', ...rest] = positionals
  if (values.version) return say(version())
  if (values.help || word === 'help') return say(usage)
  if (!words.includes(word)) throw new WrongWords(`there is no ${quoted(word)}${meant(word, words)}`)
  if (word === 'completion') return say(completion(rest[0], words, paths, Object.keys(options)))
  if (word === 'spent') return say(await spentLines(spending?.read() ?? [], purse, values.json))
  const patienceMs = patienceIn(values.patience)
  const policyFile = values.policy ?? env.FAREBOX_POLICY
  const policy = policyFile ? policyIn(policyFile) : undefined
  let signed: Spent | undefined
  const onSigned = (spent: Spent) => {
    spending?.write(spent)
    signed = spent
  }
  const clientAt = (url: string) =>
    createFarebox({
      url,
      wallet: walletIn(values, env),
      network: networkIn(values.network),
      maxUsdPerCall: dollarsIn('max-usd', values['max-usd']),
      maxUsdPerDay: dollarsIn('max-usd-a-day', values['max-usd-a-day']),
      ...{ policy, purse, patienceMs, fetch, keep: watch?.keep, onTakenUp, onReplaced, onRefused },
      onSigned,
    })
  if (word === 'payments') return payments(rest, keep, clientAt, values.json)
  const url = addressIn(values.url ?? env.FAREBOX_URL ?? 'http://127.0.0.1:8402')
  if (word === 'catalog') return catalog({ url, patienceMs, send: fetch }, values.json)
  const farebox = clientAt(url)
  const asking = { key: values['idempotency-key'], payment: values.payment, dryRun: values['dry-run'] }
  const shown = (result: Result) => show(result, values.json, watch?.isOpen() === true, signed)
  const connection = { url, patienceMs, send: fetch }
  if (word === 'quote') return quote(farebox, await pathAt(rest[0], connection), values.json)
  if (word === 'market') return shown(await farebox.call('/market/best', { task: taskIn(rest) }, asking))
  if (word === 'receipt') return receipt(farebox, rest, values)
  const path = await pathAt(rest[0], connection)
  if (values.fields !== undefined)
    return shown(await farebox.call(`${path}?fields=${fieldsIn(values.fields)}`, questionIn(rest[1]), asking))
  const [name] = namedOperations.find(([, each]) => each.path === path) ?? []
  if (name === undefined) return shown(await farebox.call(path, questionIn(rest[1]), asking))
  const ask = farebox[name] as (...asked: [object, typeof asking]) => Promise<Result>
  return shown(await ask(questionIn(rest[1]), asking))
}

function onTakenUp(kept: Kept): void {
  console.error(`the payment of ${kept.signedAt} is presented again (${amountOf(kept)}); nothing new is paid`)
}

function onReplaced(kept: Kept): void {
  console.error(`the payment of ${kept.signedAt} was not charged and has expired: a new one is paid`)
}

function onRefused({ code, message }: Problem, next: string): void {
  console.error(plain(`${code}: ${message}`))
  console.error(`nothing was charged: ${next} is paid instead`)
}

async function payments(
  [what, id = '']: string[],
  keep: KeepInFolder | undefined,
  clientAt: (url: string) => Farebox,
  json: boolean,
): Promise<number> {
  if (!keep) return say(json ? '[]' : 'payments are not kept here')
  if (what === undefined) return say(listed(keep, json))
  if (what !== 'fetch' && what !== 'drop') throw new WrongWords('say: farebox payments [fetch|drop <id>]')
  const found = named(keep, id)
  if (!found)
    throw new WrongWords(`no one payment that is open begins with ${quoted(id)}: see farebox payments`)
  const { name, kept } = found
  if (what === 'drop') {
    keep.delete(name, 'gone')
    return say(json ? '{}' : plain(`dropped: ${amountOf(kept)}; ${worthOf(kept)}`))
  }
  const again = { key: kept.key, payment: kept.payment }
  return show(await clientAt(kept.url).call(kept.path, kept.question, again), json, true)
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const { message } = error as Error
    const isLong = args.some(word => word.length > 20 && message.includes(word.slice(0, 20)))
    throw new WrongWords(isLong ? 'there is no such option' : message)
  }
}

/** A path that this client knows, or that the seller lists: he may sell things of his own. One who lists nothing sells what he sells. */
async function pathAt(word: string | undefined, connection: ConnectionOptions): Promise<string> {
  if (word === undefined) throw new WrongWords('which path?')
  const path = word.startsWith('/') ? word : `/${word}`
  if (paths.includes(path as never)) return path
  const listed = await listedAt(connection)
  if (!listed || listed.includes(path)) return path
  throw new WrongWords(`there is no ${quoted(path)}${meant(path, [...new Set([...paths, ...listed])])}`)
}

function taskIn([what, ...task]: string[]): string {
  if (what !== 'best' || !task.length) throw new WrongWords('say: farebox market best <task>')
  return task.join(' ')
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  return near ? `; did you mean ${near}?` : `; there are ${known.join(', ')}`
}

function walletIn(
  { 'key-file': file, 'solana-rpc': rpc }: { 'key-file'?: string; 'solana-rpc'?: string },
  env: Surroundings['env'],
): Wallet {
  const text = file === undefined ? (env.FAREBOX_KEY ?? '') : keyFile(file)
  const solanaRpcUrl = rpc ?? env.FAREBOX_SOLANA_RPC
  return { ...keysIn(text, file === undefined ? 'FAREBOX_KEY' : 'the key file'), solanaRpcUrl }
}

/** A user may write the key itself in place of the file. Then no message may print it. */
function keyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`the key file cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

interface Listed {
  method: string
  url: string
  price_usdc?: string
  title: string
}

async function catalog(connection: ConnectionOptions, json: boolean): Promise<number> {
  const heard = await ask({ headers: { accept: 'application/json' } }, '/', connection)
  if ('lost' in heard) throw new Error(`nothing was heard from ${heard.lost}`)
  if (json) return say(shownJson(heard.json))
  if (!Array.isArray(heard.json.operations))
    throw new Error('this seller lists nothing: farebox quote <path> tells what a path costs')
  const { operations = [], free = [] } = heard.json as Partial<Record<'operations' | 'free', Listed[]>>
  const rows = [...operations, ...free].map(({ url, price_usdc = 'free', title }) =>
    plain(`${new URL(url).pathname.padEnd(18)} ${price_usdc.padStart(6)}  ${title}`),
  )
  return say(rows.join('\n'))
}

async function quote(farebox: Farebox, path: string, json: boolean): Promise<number> {
  const quoted = await farebox.quote(path)
  if (!quoted) return say(json ? 'null' : `${path} is free, or not sold now`)
  if (json) return say(shownJson(quoted))
  return say(
    quoted.accepts
      .map(({ amount, network, payTo }) =>
        plain(`${usdOf(amount)} USDC on ${networkName(network)} to ${payTo}`),
      )
      .join('\n'),
  )
}

/** Runs the command and gives its exit code. */
export async function run(args: string[], surroundings: Surroundings): Promise<number> {
  const { keep } = surroundings
  const watch = keep && watched(keep)
  process.stdout.on('error', error => void unprinted(error, watch))
  const free = onInterruption(watch)
  try {
    const code = await command(args, surroundings, watch)
    await flushed()
    await watch?.printed()
    return code
  } catch (error) {
    console.error(plain(error instanceof Error ? error.message : String(error)))
    const isWords = [WrongWords, WrongPolicy, WrongAsking].some(each => error instanceof each)
    if (!isWords) return exits.broke
    console.error('farebox help tells more')
    return exits.words
  } finally {
    free()
  }
}

/** A reader who stops early, like `head`, has seen enough. On a full disk nobody has seen the answer. */
async function unprinted(error: NodeJS.ErrnoException, watch: KeepWatch | undefined): Promise<void> {
  if (error.code !== 'EPIPE') {
    console.error(`the answer cannot be written: ${error.code}`)
    process.exit(exits.broke)
  }
  await watch?.printed()
  process.exit(exits.answered)
}

const flushed = () => new Promise<void>(resolve => process.stdout.write('', () => resolve()))

function onInterruption(watch: KeepWatch | undefined): () => void {
  const end = (code: number) => () => {
    console.error(
      watch?.isOpen()
        ? 'interrupted: the payment is kept. The same command presents it again, and pays nothing new (farebox payments)'
        : 'interrupted',
    )
    process.exit(code)
  }
  const [onInt, onTerm] = [end(130), end(143)]
  process.once('SIGINT', onInt).once('SIGTERM', onTerm)
  return () => void process.off('SIGINT', onInt).off('SIGTERM', onTerm)
}

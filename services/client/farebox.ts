/** The client: asks, pays within its caps, and returns the answer or the reason why there is none. */
import { type CallOptions, call } from './buying.ts'
import { ask, type ConnectionOptions } from './connection.ts'
import { keepInFolder } from './keep-folder.ts'
import type { Keep, Kept } from './kept.ts'
import { operations } from './operations.ts'
import { Budget, type Caps, type Purse } from './purse.ts'
import { purseInFile } from './purse-file.ts'
import { type Quote, quoteIn } from './quote.ts'
import { type ClientCode, type Problem, type Result, resultOf } from './results.ts'
import type { Operations, Receipt, SharedCode } from './shapes.ts'
import type { Spent } from './spending.ts'
import { type Checked, type Paid, verified } from './verify.ts'
import type { Wallet } from './wallet.ts'

export type Name = keyof Operations

type AnswerTo<N extends Name> = Result<
  Operations[N]['answer'] & { receipt?: Receipt },
  Operations[N]['refusals'] | SharedCode | ClientCode
>

export type Calls = {
  [N in Name]: Record<string, never> extends Operations[N]['question']
    ? (question?: Operations[N]['question'], options?: CallOptions) => Promise<AnswerTo<N>>
    : (question: Operations[N]['question'], options?: CallOptions) => Promise<AnswerTo<N>>
}

export interface Farebox extends Calls {
  /** Asks any path, without its types. */
  call(path: string, question?: object, options?: CallOptions): Promise<Result>
  /** The price, without paying. Undefined: it is free, or not sold. It rejects where nothing is heard. */
  quote(path: string): Promise<Quote | undefined>
  /**
   * Whether the seller signed this answer and its payment. With `signer`, the address or addresses that you know, nobody is asked;
   * without it the seller is asked once who signs. `question` is held against what was signed, too. `receipt: null`: the seller gave
   * none, so there is nothing to verify.
   */
  verify(paid: Paid, options?: VerifyOptions): Promise<Checked>
}

export interface VerifyOptions {
  signer?: string | readonly string[] | undefined
  question?: object | undefined
}

export interface FareboxOptions extends Caps {
  url: string
  wallet?: Wallet | undefined
  /** The network to pay on: `base`, `solana`, another name, or a CAIP-2 id. */
  network?: string | undefined
  /** Counts the spending. Absent: a file that all processes of this user share. */
  purse?: Purse | undefined
  /**
   * A folder, or a place of your own, where a payment and its key are kept from before it is sent until its answer is here. The
   * same question then presents it again, in another process too, and pays nothing new.
   */
  keep?: string | Keep | undefined
  /** Hears that a kept payment is presented again. */
  onTakenUp?: ((kept: Kept) => void) | undefined
  /** Hears that it was never taken and is dead, and that another is signed. */
  onReplaced?: ((kept: Kept) => void) | undefined
  /** Hears that a payment was refused, uncharged, and on which network the next one is signed. */
  onRefused?: ((refusal: Problem, next: string) => void) | undefined
  /** Hears of each payment that is signed, before it is sent. If it throws, nothing is sent. */
  onSigned?: ((spent: Spent) => void) | undefined
  /** How long the same payment is presented again after a lost connection: a minute. */
  patienceMs?: number | undefined
  fetch?: typeof fetch | undefined
}

type NamesOf<T> = Readonly<Record<keyof T, true>>
const ofAll: NamesOf<FareboxOptions> = {
  ...{ url: true, wallet: true, network: true, purse: true, keep: true, onTakenUp: true, onReplaced: true },
  ...{
    onRefused: true,
    onSigned: true,
    patienceMs: true,
    fetch: true,
    maxUsdPerCall: true,
    maxUsdPerDay: true,
    policy: true,
  },
}
const ofWallet: NamesOf<Wallet> = { evmKey: true, solanaKey: true, solanaRpcUrl: true }
const ofCall: NamesOf<CallOptions> = { key: true, payment: true, dryRun: true }
const ofVerify: NamesOf<VerifyOptions> = { signer: true, question: true }

/** A cap that is misspelt is no cap. JavaScript alone would say nothing. */
function mustKnow(given: object | undefined, known: object, what: string): void {
  const odd = Object.keys(given ?? {}).find(name => !Object.hasOwn(known, name))
  if (odd !== undefined)
    throw new TypeError(`${what}: there is no "${odd}"; there are ${Object.keys(known).join(', ')}`)
}

export function createFarebox(options: FareboxOptions): Farebox {
  mustKnow(options, ofAll, 'options')
  mustKnow(options.wallet, ofWallet, 'wallet')
  const { wallet = {}, network, patienceMs, fetch: send = fetch } = options
  const { onTakenUp, onReplaced, onRefused, onSigned } = options
  const connection: ConnectionOptions = { url: options.url.replace(/\/+$/, ''), patienceMs, send }
  const budget = new Budget(options, options.purse ?? purseInFile())
  const keep = typeof options.keep === 'string' ? keepInFolder(options.keep) : options.keep
  const buyer = { connection, wallet, network, budget, keep, onTakenUp, onReplaced, onRefused, onSigned }
  async function post(path: string, question?: object, more?: CallOptions): Promise<Result> {
    mustKnow(more, ofCall, 'options of the call')
    return call(buyer, path, question, more)
  }

  async function get(path: string, question: object = {}): Promise<Result> {
    const query = new URLSearchParams(question as Record<string, string>).toString()
    return resultOf(await ask({ method: 'GET' }, `${path}${query && '?'}${query}`, connection), false)
  }

  let asked: Promise<string[]> | undefined
  async function signersOf(): Promise<string[]> {
    const told = await get('/receipts/signer')
    if (!told.ok) throw new Error(`nobody says who signs: ${told.error.message || told.error.code}`)
    const { signer, former } = told.answer as { signer: string; former: string[] }
    return [signer, ...former]
  }

  const all: [name: string, Pick<(typeof operations)[Name], 'path'> & { method: string }][] =
    Object.entries(operations)
  const calls = all.map(([name, { method, path }]) => [
    name,
    (question?: object, more?: CallOptions) =>
      method === 'GET' ? get(path, question) : post(path, question, more),
  ])
  return {
    ...(Object.fromEntries(calls) as Calls),
    call: post,
    async quote(path) {
      const heard = await ask({ method: 'POST' }, path, connection)
      if ('lost' in heard) throw new Error(`nothing was heard from ${heard.lost}`)
      return quoteIn(heard.response)
    },
    async verify(paid, more = {}) {
      mustKnow(more, ofVerify, 'options of verify')
      const { signer, question } = more
      if (signer !== undefined) return verified(paid, { signers: [signer].flat(), question })
      // Who signed a receipt that does not exist, nobody need say.
      const unsigned = await verified(paid, { signers: [], question })
      if (unsigned.receipt === null) return unsigned
      asked ??= signersOf()
      const signers = await asked.catch(error => {
        asked = undefined
        throw error
      })
      return verified(paid, { signers, question })
    },
  }
}

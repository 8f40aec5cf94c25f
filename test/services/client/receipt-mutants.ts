/** A receipt, and everything that a forger could make of one word of it. Three readers must judge them alike. */
import type { TypedMessage } from '../../../pipelines/rails/signing/eip712.ts'
import { Signer } from '../../../services/query/signing/signer.ts'

type Json = Record<string, unknown>

export interface Case {
  /** What was changed, and into what. */
  name: string
  settlement: Json
  question: Json
  answer: Json
}

export const signerKey = `0x${'7'.repeat(64)}`

/** As a sale gives it. */
export async function genuine(): Promise<Case> {
  const transaction = `0x${'ab'.repeat(32)}`
  const settled: TypedMessage & Json = {
    transaction,
    network: 'eip155:8453',
    payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  }
  const answer = {
    rate: 157.25347,
    deep: [{ b: 1, a: [null, true, 'ä😀'] }],
    receipt: {
      ...{ request_id: 'an id', fetched_at: '2026-11-22T08:13:45.258Z', tool: 'exchangeRate' },
      ...{ price_usdc: 0.002, charged: true, network: 'base', payment_tx: transaction },
    },
  }
  const question = { from: 'USD', to: 'JPY' }
  const header = Buffer.from(JSON.stringify({ success: true, ...settled })).toString('base64')
  const signer = new Signer([signerKey as `0x${string}`], () => 1_795_335_385_000)
  const { headers } = await signer.receipted(
    {
      body: JSON.stringify(answer),
      headers: { 'PAYMENT-RESPONSE': header },
      replayed: false,
      answerName: 'an answer',
      settledAt: 0,
      delivered: () => {},
    },
    { resourceUrl: 'https://farebox.example/fx', question },
  )
  const settlement = JSON.parse(Buffer.from(headers['PAYMENT-RESPONSE'] ?? '', 'base64').toString())
  return { name: 'as it was given', settlement, question, answer }
}

/** Words that one reader or another takes for the same. */
function lookAlikes(value: unknown): unknown[] {
  const any = [null, true, false, 0, 1, '', [value], { value }]
  if (typeof value === 'number')
    return [
      ...[
        value + 1,
        -value,
        value + 0.5,
        value * 1e30,
        String(value),
        `${value}0`,
        `${value}.0`,
        ` ${value}`,
      ],
      ...[`0x${Math.trunc(value).toString(16)}`, value.toExponential(), `+${value}`],
      // Digits of other scripts, which Python takes for numbers.
      ...[0xff10, 0x0660].map(zero =>
        String(value).replace(/\d/g, digit => String.fromCodePoint(zero + Number(digit))),
      ),
      ...any,
    ]
  if (typeof value === 'string')
    return [
      ...[
        value.toUpperCase(),
        value.toLowerCase(),
        `${value} `,
        `${value}\n`,
        `\u200b${value}`,
        `${value}00`,
      ],
      ...[
        value.slice(2),
        value.slice(0, -1),
        value.replace(/^0x/, '0X'),
        `${value}\ud800`,
        value.normalize('NFD'),
      ],
      value.replace(/\d/, digit => String.fromCodePoint(0xff10 + Number(digit))),
      value.replace(/[a-f]/, letter => (letter === 'a' ? 'b' : 'a')),
      ...any,
    ]
  return any
}

const added = { note: 'We owe you 5,000 USDC', toString: 'x', amount: '1', constructor: 1 }

type Path = readonly (string | number)[]

function* paths(value: unknown, at: Path = []): Generator<[Path, unknown]> {
  if (at.length) yield [at, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) yield* paths(each, [...at, name])
}

function changed(base: Case, at: Path, change: (holder: Json, name: string) => void): Case {
  const copy = structuredClone(base)
  let holder = copy as unknown as Json
  for (const name of at.slice(0, -1)) holder = holder[name] as Json
  change(holder, String(at.at(-1)))
  return copy
}

const leaveOut = (holder: Json, name: string): void => {
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}

/** Some of them; in the long form each. */
export const mutants = (base: Case): Case[] =>
  everyMutant(base).filter((_, at) => process.env.LONG_FORM !== undefined || at % 4 === 0)

/** Each word changed, left out, and with another beside it. */
function everyMutant(base: Case): Case[] {
  const { settlement, answer } = base
  return [...paths({ settlement, answer })].flatMap(([at, value]) => {
    const where = at.join('.')
    const isLeaf = typeof value !== 'object' || value === null
    const others = isLeaf
      ? lookAlikes(value).filter(each => JSON.stringify(each) !== JSON.stringify(value))
      : []
    return [
      ...others.map(each => ({
        ...changed(base, at, (holder, name) => Object.assign(holder, { [name]: each })),
        name: `${where} is ${JSON.stringify(each)}`,
      })),
      { ...changed(base, at, leaveOut), name: `${where} is left out` },
      ...(isLeaf || Array.isArray(value)
        ? []
        : Object.entries(added).map(([name, word]) => ({
            ...changed(base, [...at, name], holder =>
              Object.defineProperty(holder, name, { value: word, enumerable: true, configurable: true }),
            ),
            name: `${where} has ${name}`,
          }))),
    ]
  })
}

/** What stands under no signature, and may be another word of the same form; what may be left out, for then it says nothing. */
const unsigned = /^answer\.receipt\.(request_id|fetched_at|tool|price_usdc) is (?!left)/
const leftOut =
  /^(settlement\.(success|transaction|network|payer)|settlement\.extensions\.offer-receipt\.info\.(receipt|answer)\.format|answer(\.receipt(\.\w+)?)?) is left out$/
const unread = /^settlement\.extensions(\.offer-receipt(\.info)?)? has /

/** Whether a reader may call it genuine: it says nothing else than the one that was given. */
export const mayBeValid = ({ name }: Case): boolean =>
  [unsigned, leftOut, unread].some(form => form.test(name))

/** A statement as a table, as JSON, and as a journal of hledger: the same bytes for the same facts. */
import type { MonthStatement, StatementLine } from './statement.ts'

const asset = 'USDC'
/** Fees are paid with coins of the chains, or by invoice: at the prices that the operator has named. */
const dollar = 'USD'

export const statementForms = {
  json: (statement: MonthStatement): string => `${JSON.stringify({ asset, ...statement }, null, 2)}\n`,
  csv: ({ lines, home }: MonthStatement): string => {
    const columns = [
      'kind',
      'day',
      'network',
      'account',
      'operation',
      'count',
      'usdc',
      'eur',
      'home',
      'unrated',
      'about',
    ] as const
    const head = columns.map(name => (name === 'home' && home !== '' ? home.toLowerCase() : name))
    return table(
      head,
      lines.map(line => columns.map(name => String(line[name]))),
    )
  },
  hledger: journalOf,
} as const

/** CSV with the line ends of RFC 4180. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${[head.join(','), ...rows.map(row => row.map(cell).join(','))].join('\r\n')}\r\n`

/** A spreadsheet runs what begins like a formula. */
const cell = (text: string): string => {
  const plain = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Both sides of each entry. What was sold is owed to us until its transfer has come. */
function journalOf({ month, closed, lines }: MonthStatement): string {
  const entries = lines.flatMap(line => entryOf(line) ?? [])
  const accounts = [
    ...new Set(entries.flatMap(({ postings }) => postings.map(([account]) => account))),
  ].toSorted()
  const asserted = lines.filter(({ kind, usdc }) => kind === 'closing' && usdc !== '')
  const unread = lines.filter(({ kind, usdc }) => kind === 'closing' && usdc === '')
  return [
    `; Farebox, ${month}: ${closed ? 'every day is closed' : 'not every day is closed'}`,
    `commodity 1000.000000 ${asset}`,
    'commodity 1000.00000000 EUR',
    `commodity 1000.000000000 ${dollar}`,
    ...accounts.map(account => `account ${account}`),
    ...unread.map(({ network, about }) => `; closing balance on ${network}: ${about}`),
    '',
    ...entries.flatMap(({ day, words, note, postings, unit = asset }) => [
      `${day} ${words}${note === '' ? '' : `  ; ${note}`}`,
      ...postings.map(([account, amount]) => `    ${account}  ${amount} ${unit}`),
      '',
    ]),
    ...asserted.flatMap(({ day, network, usdc }) => [
      `${day} closing balance on ${network}`,
      `    ${walletOf(network)}  0 ${asset} = ${usdc} ${asset}`,
      '',
    ]),
  ].join('\n')
}

interface Entry {
  day: string
  words: string
  note: string
  postings: readonly (readonly [account: string, amount: string])[]
  /** USDC if absent. */
  unit?: string
}

const walletOf = (network: string) => `assets:wallet:${network}`
const owedOf = (network: string) => `assets:receivable:${network}`

const minus = (usdc: string): string =>
  usdc.startsWith('-') ? usdc.slice(1) : Number(usdc) === 0 ? '0' : `-${usdc}`

/** A difference is a word of ours, and moves nothing. */
function entryOf({
  kind,
  day,
  network,
  operation,
  count,
  usdc,
  eur,
  about,
}: StatementLine): Entry | undefined {
  const moved = (words: string, to: string, from: string, note = ''): Entry => ({
    ...{ day, words: `${words} on ${network}`, note },
    postings: [
      [to, usdc],
      [from, minus(usdc)],
    ],
  })
  const calls = `${count} ${count === 1 ? 'call' : 'calls'}`
  const worth = eur === '' ? calls : `${calls}, worth ${eur} EUR`
  switch (kind) {
    case 'opening':
      return usdc === '' ? undefined : moved('opening balance', walletOf(network), 'equity:opening')
    case 'sales':
      return moved(`sales of ${operation}`, owedOf(network), `revenue:${operation}`, worth)
    case 'canary':
      return moved(`our canary bought ${operation}`, owedOf(network), 'equity:canary', worth)
    case 'received':
      return moved('transfers came', walletOf(network), owedOf(network))
    case 'unexplained':
      return moved('transfers that no sale explains', owedOf(network), 'revenue:unexplained')
    case 'withdrawn':
      return moved('transfers left', 'equity:withdrawn', walletOf(network))
    case 'refunds':
      return moved('refunds', 'expenses:refunds', `assets:refunds:${network}`)
    case 'fees':
      return {
        ...moved('fees of settling', 'expenses:fees', `liabilities:fees:${network}`, `${calls}: ${about}`),
        unit: dollar,
      }
    default:
      return undefined
  }
}

/** `npm run books`: whether the chains paid us what we sold, for any span of days, and the statement of a month, from the facts in the store. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type Begin,
  type BookedDay,
  type BookWanted,
  bookedDay,
  dayMs,
  dayOf,
  dayWanted,
  notesBy,
  startOf,
} from '../../pipelines/domains/books/books.ts'
import { dustOn } from '../../pipelines/domains/books/comparison.ts'
import { coverageOf } from '../../pipelines/domains/books/coverage.ts'
import type { AskStore, OwnWallet } from '../../pipelines/domains/books/facts.ts'
import { signedStatement } from '../../pipelines/domains/books/signed-statement.ts'
import { statementOf } from '../../pipelines/domains/books/statement.ts'
import { statementForms } from '../../pipelines/domains/books/statement-forms.ts'
import { entryOf } from '../../pipelines/rails/log/log.ts'
import { openLog, placeOf } from '../../pipelines/rails/log/open-log.ts'
import { leaveNote } from '../../pipelines/workers/books/notes.ts'
import { type BookNote, bookNotes } from '../../schemas/book-notes.ts'
import { CurrencyCode, IsoDate, instant } from '../../schemas/values/values.ts'
import { loadConfig, loadLog, Misused, runCommand, wishesOf } from './command-line.ts'
import { agreed, topicNow } from './sales-agreement.ts'
import { storeAsker } from './standing-store.ts'

const usage = `npm run books -- check [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--grace MINUTES] [--dust] [--topic] [--json]
npm run books -- explain TX --note WORDS --by NAME [--payer ADDRESS]
npm run books -- statement --month YYYY-MM [--format csv|json|hledger] [--home GBP] [--to FILE]

  Compares to the atom what our wallets received on each chain with the sales and refunds of these days (the last seven, or --from,
  --to), and names what differs. What is younger than --grace minutes (60) may find its other side yet, and is told as waiting. The end is
  0 where nothing differs, else 1. Transfers too small for any sale are summed, and named with --dust.
  The sums of the sales are taken from the table, from the view receipts and from the statement, too, and must not differ. With --topic the topic
  itself is read as well, from its beginning: LOG_URL (or DATA_DIR) names the log.

  To explain is to sign off: the differences of the transaction (of one payer, with --payer) are told with the note and the name, and keep
  their day from closing no more. What was explained stays in the statement. LOG_URL (or DATA_DIR) names the log.

  The statement has opening and closing balances by network, sales by day and operation with their worth in euros (and in --home, a
  currency that the ECB publishes), transfers, refunds and differences. The same facts give the same bytes. With SIGNER_KEY it is signed: the
  signature goes to FILE.signature.json or, without --to, to stderr. STORE_URL (or STORE_PORT, for an embedded store that runs) names the store, as for npm run serve.`

const usualDays = 7

const checkWishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values } = parseArgs({
      args,
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        grace: { type: 'string', default: '60' },
        dust: { type: 'boolean', default: false },
        topic: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    if (!/^\d{1,5}$/.test(values.grace)) throw new Misused('--grace should be a number of minutes')
    const today = dayOf(Date.now())
    const to = dayIn('--to', values.to) ?? today
    const from = dayIn('--from', values.from) ?? dayOf(startOf(to) - (usualDays - 1) * dayMs)
    if (from > to) throw new Misused('--from should not be after --to')
    const { json, dust, topic } = values
    return { from, to, graceMs: Number(values.grace) * 60_000, json, dust, topic }
  })

function dayIn(name: string, given: string | undefined): string | undefined {
  if (given !== undefined && !IsoDate.safeParse(given).success)
    throw new Misused(`${name} should be a day as YYYY-MM-DD`)
  return given
}

type Kept = OwnWallet & { begin: Begin }

/** The wallets whose books the service keeps. */
async function keptWallets(ask: AskStore): Promise<readonly Kept[]> {
  const rows = await ask<{ network: OwnWallet['network']; pay_to: string; since: string; begun: string }>(
    `select network, pay_to, toString(toUnixTimestamp64Milli(min(d.since))) as since, toString(toUnixTimestamp64Milli(min(begun_at))) as begun
    from book_days as d group by network, pay_to order by network, pay_to`,
    {},
  )
  if (rows.length === 0)
    throw new Error('no books are kept yet: a process with the role ingest begins them, soon after its start')
  return rows.map(({ network, pay_to, since, begun }) => ({
    ...{ network, payTo: pay_to },
    begin: { since: instant(Number(since)), begun_at: instant(Number(begun)) },
  }))
}

async function check(args: string[]): Promise<number> {
  const { from, to, graceMs, json, dust, topic } = checkWishes(args)
  const ask = await storeAsker()
  const nowMs = Date.now()
  const notes = await notesNow(ask)
  const byTopic = topic ? await topicNow() : undefined
  let differences = 0
  for (const wallet of await keptWallets(ask)) {
    const { since } = wallet.begin
    const coverage = await coverageOf(ask, wallet.network, Date.parse(since))
    const wanted = { ...wallet, ...coverage, nowMs, graceMs, notes }
    const first = Math.max(startOf(from), startOf(since.slice(0, 10)))
    for (let ms = first; ms <= Math.min(startOf(to), nowMs); ms += dayMs) {
      const booked = await bookedDay(ask, dayOf(ms), wanted)
      differences += booked.differences.length
      const small = dust ? await dustOn(ask, dayWanted(dayOf(ms), wanted)) : []
      if (json) {
        const { row, differences: found, explained, leftOut } = booked
        console.log(
          JSON.stringify({ ...row, found, signed_off: explained, left_out: leftOut, ...(dust && { small }) }),
        )
      } else {
        for (const line of linesOf(booked)) console.log(line)
        for (const { tx, payer, usdc } of small) console.log(`  dust: ${usdc} of ${payer} in ${tx}`)
      }
    }
    // Younger sales may be on their way from the log to the store.
    const toMs = Math.min(startOf(to) + dayMs, nowMs - graceMs)
    const span = { fromMs: Math.max(first, Date.parse(since)), toMs }
    differences += await agreed(ask, { wallet, span, byTopic, json })
  }
  if (!json) console.log(differences === 0 ? 'nothing differs' : `${differences} differ`)
  return differences === 0 ? 0 : 1
}

function linesOf({ row, differences, explained, leftOut }: BookedDay): string[] {
  const { day, network, state, transfers, received_usdc, sales, sold_usdc, waiting } = row
  const parts = [
    `${day} ${network.padEnd(10)} ${state.padEnd(7)} received ${received_usdc} in ${transfers}, sold ${sold_usdc} in ${sales}`,
    ...(row.canary > 0 ? [`${row.canary_usdc} of it to our canary`] : []),
    ...(row.reversed > 0 ? [`${row.reversed_usdc} reversed by the chain`] : []),
    ...(row.refunds > 0 ? [`${row.refunded_usdc} refunded`] : []),
    ...(row.dust > 0 ? [`${row.dust_usdc} of it dust in ${row.dust}`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(leftOut.count > 0
      ? [`${leftOut.usdc} in ${leftOut.count} left out, before the books or on a chain that is gone`]
      : []),
  ]
  return [
    parts.join(', '),
    ...explained.map(
      ({ kind, tx, payer, note, by }) => `  signed off by ${by}: ${payer} in ${tx} (${words[kind]}): ${note}`,
    ),
    ...differences.map(
      ({ kind, tx, payer, chain_usdc, books_usdc, times, request_id }) =>
        `  ${words[kind]}: ${payer} in ${tx}: the chain has ${chain_usdc}, the books have ${books_usdc}${times > 1 ? `, ${times} times` : ''}${request_id ? `, request ${request_id}` : ''}`,
    ),
  ]
}

const words = {
  no_transfer: 'sold, and nothing came',
  no_sale: 'came, and no sale explains it',
  amount: 'another amount came than was sold',
  no_refund: 'called refunded, and nothing left',
}

const explainWishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { note: { type: 'string' }, by: { type: 'string' }, payer: { type: 'string' } },
    })
    const [tx, ...more] = positionals
    const { note, by, payer } = values
    if (!tx || more.length || !note || !by) throw new Misused(usage)
    return { tx, note, by, payer }
  })

async function explain(args: string[]): Promise<void> {
  const { tx, note, by, payer } = explainWishes(args)
  const ask = await storeAsker()
  const all = await ask<BookNote>(
    `select network, kind, toString(day) as day, tx, payer, pay_to, toString(chain_usdc) as chain_usdc, toString(books_usdc) as books_usdc, times
    from book_differences_open where lower(tx) = lower({tx: String}) order by network, kind, payer`,
    { tx },
  )
  const open = all.filter(one => payer === undefined || one.payer.toLowerCase() === payer.toLowerCase())
  if (open.length === 0)
    throw new Error('nothing of this transaction differs now: see npm run books -- check')
  const signed = open.map(one => bookNotes.event.parse({ ...one, note, by, at: instant(Date.now()) }))
  const at = await loadLog()
  const { file } = placeOf(at)
  if (file) for (const one of signed) leaveNote(file, one)
  else {
    const log = await openLog(at, { topics: [bookNotes.topic] })
    await log.append(
      bookNotes.topic,
      signed.map(one => entryOf(bookNotes, one)),
    )
    await log.close()
  }
  for (const { kind, payer: from, day } of signed)
    console.log(`signed off: ${words[kind]}, ${from}, of ${day}`)
}

async function notesNow(ask: AskStore): Promise<ReadonlyMap<string, BookNote>> {
  return notesBy(
    await ask<BookNote>(
      `select network, kind, toString(day) as day, tx, payer, pay_to, toString(chain_usdc) as chain_usdc, toString(books_usdc) as books_usdc, times, note, by
      from book_differences_explained`,
      {},
    ),
  )
}

const statementWishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values } = parseArgs({
      args,
      options: {
        month: { type: 'string', default: '' },
        format: { type: 'string', default: 'csv' },
        home: { type: 'string', default: '' },
        to: { type: 'string' },
      },
    })
    const { month, format, home, to } = values
    if (!IsoDate.safeParse(`${month}-01`).success) throw new Misused('--month should be a month as YYYY-MM')
    if (!isForm(format)) throw new Misused(`--format should be ${Object.keys(statementForms).join(', ')}`)
    if (home !== '' && !CurrencyCode.safeParse(home).success) throw new Misused('--home should be a currency')
    return { month, format, home, to }
  })

const isForm = (name: string): name is keyof typeof statementForms => Object.hasOwn(statementForms, name)
const usualGraceMs = 60 * 60_000

async function statement(args: string[]): Promise<void> {
  const { month, format, home, to } = statementWishes(args)
  const ask = await storeAsker()
  const nowMs = Date.now()
  const wallets: BookWanted[] = []
  const notes = await notesNow(ask)
  for (const wallet of await keptWallets(ask)) {
    const coverage = await coverageOf(ask, wallet.network, Date.parse(wallet.begin.since))
    wallets.push({ ...wallet, ...coverage, nowMs, graceMs: usualGraceMs, notes })
  }
  const told = await statementOf(ask, month, home, wallets)
  const text = statementForms[format](told)
  const key = (await loadConfig()).SIGNER_KEY?.[0]
  const signature = key && `${JSON.stringify(signedStatement({ month, format, text }, key), null, 2)}\n`
  if (!told.closed) console.error('not every day of the month is closed: the statement may change')
  if (to === undefined) {
    process.stdout.write(text)
    if (signature) process.stderr.write(signature)
    return
  }
  writeFileSync(to, text)
  if (signature) writeFileSync(`${to}.signature.json`, signature)
}

const commands: Readonly<Record<string, (args: string[]) => Promise<unknown>>> = { check, explain, statement }

if (import.meta.main)
  runCommand(usage, async ([name = '', ...args]) => {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) throw new Misused(usage)
    return command(args)
  })

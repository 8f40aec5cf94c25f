/** One transaction: its outcome, and its movements. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fromAtoms } from '../../../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../../../schemas/values/values.ts'
import type { ChainRefused, NodesDisagree, Transaction } from '../../reader.ts'
import { isSignature } from '../address.ts'
import { disagree } from '../confirmed.ts'
import type { SvmNodes } from '../nodes.ts'
import { solDecimals } from '../programs.ts'
import type { ParsedTokenBalance, ParsedTransaction } from './parsed.ts'
import { transfersIn } from './transfers.ts'

interface Status {
  confirmations: number | null
  confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
}

interface Statuses {
  context: { slot: number }
  value: (Status | null)[]
}

const note = [
  'Amounts of tokens are the changes of balances, so they hold what programs hide.',
  'A side that is null was minted, was burned, or was not told.',
  'SOL that a program moves on its own is not shown.',
  'A transaction on Solana has no single receiver, so `to` is null.',
].join(' ')
const failedNote = 'A transaction that fails moves nothing, and pays its fee all the same.'
const pendingNote = 'A block has it, and that block is not confirmed yet. Ask again in some seconds.'

export async function transactionOf(
  nodes: SvmNodes,
  signature: string,
): Promise<Transaction | ChainRefused<'unknown_transaction'> | NodesDisagree> {
  if (!isSignature(signature)) return unknown(`${signature} is no signature: it does not have 64 bytes`)
  const asked = [[signature], { searchTransactionHistory: true }]
  const { answer: statuses, source } = await nodes.ask<Statuses>('getSignatureStatuses', asked)
  const options = { encoding: 'jsonParsed', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }
  const params = [signature, options]
  const { answer: found, ...by } = await nodes.ask<ParsedTransaction | null>('getTransaction', params)
  const status = statuses.value[0]
  const empty: Transaction = {
    chain: nodes.chain,
    block: statuses.context.slot,
    fetched_at: instant(nodes.now()),
    source,
    confirmed_by: null,
    hash: signature,
    status: 'pending',
    tx_block: null,
    block_time: null,
    confirmations: 0,
    finalized: false,
    from: '',
    to: null,
    created: null,
    value: '0',
    fee: null,
    method: null,
    transfers: [],
    revert_reason: null,
    note: pendingNote,
  }
  if (found?.meta) {
    const again = await toldAgain(nodes, by.url, params)
    const isSame = again?.answer?.meta ? outcomeOf(again.answer) === outcomeOf(found) : undefined
    if (again && isSame === false) return disagree(nodes, `of ${signature}`, by.source, again.source)
    return {
      ...empty,
      ...landed(found, found.meta, statuses),
      confirmed_by: again && isSame ? again.source : null,
    }
  }
  if (status) return empty
  return unknown(
    `${source} knows no transaction ${signature}: it never landed, or the node no longer keeps its block`,
  )
}

/** Longer than this nobody waits for the second node. */
const patienceMs = 2500

/** What a second node says of the transaction. Undefined if there is none, or it fails. */
async function toldAgain(nodes: SvmNodes, url: string, params: readonly unknown[]) {
  const other = nodes.otherThan(url)
  if (other === undefined) return undefined
  const waiting = new AbortController()
  const late = sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined)
  // The world fails: the answer stays unconfirmed.
  const told = nodes.askNode<ParsedTransaction | null>(other, 'getTransaction', params).catch(() => undefined)
  const again = await Promise.race([told, late])
  waiting.abort()
  return again
}

/** What every node tells alike: where it landed, how it ended, and what it moved. */
function outcomeOf({ slot, meta, transaction }: ParsedTransaction): string {
  const tokens = (all: ParsedTokenBalance[] | null | undefined) =>
    (all ?? []).map(({ accountIndex, mint, uiTokenAmount }) => [accountIndex, mint, uiTokenAmount.amount])
  const keys = transaction.message.accountKeys.map(({ pubkey }) => pubkey)
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = meta ?? {}
  const moved = [preBalances, postBalances, tokens(preTokenBalances), tokens(postTokenBalances)]
  return JSON.stringify([slot, keys, err, fee, ...moved])
}

const unknown = (because: string): ChainRefused<'unknown_transaction'> => ({
  refused: 'unknown_transaction',
  because,
})

function landed(
  found: ParsedTransaction,
  { err, fee, logMessages }: NonNullable<ParsedTransaction['meta']>,
  { context, value: [status] }: Statuses,
): Partial<Transaction> {
  const failed = err !== null
  const transfers = transfersIn(found)
  const payer = found.transaction.message.accountKeys[0]?.pubkey ?? ''
  const sent = transfers
    .filter(({ standard, from }) => standard === 'native' && from === payer)
    .reduce((sum, { raw }) => sum + BigInt(raw), 0n)
  return {
    status: failed ? 'failed' : 'success',
    tx_block: found.slot,
    block_time: found.blockTime === null ? null : instant(found.blockTime * 1000),
    // A node counts while the block may still be dropped. After that it returns null.
    confirmations: status?.confirmations ?? Math.max(0, context.slot - found.slot),
    finalized: status?.confirmationStatus === 'finalized',
    from: payer,
    value: fromAtoms(sent, solDecimals),
    fee: fromAtoms(BigInt(fee), solDecimals),
    method: programsOf(found),
    transfers,
    revert_reason: failed ? reasonOf(err, logMessages ?? []) : null,
    note: failed ? failedNote : note,
  }
}

/** The programs that it calls directly, in order, each once. */
function programsOf({ transaction }: ParsedTransaction): string | null {
  const names = transaction.message.instructions.map(({ program, programId }) => program ?? programId)
  return names.length ? [...new Set(names)].join(', ') : null
}

/** The program's own log lines, if it has any, are clearer than its error. */
function reasonOf(err: unknown, logs: readonly string[]): string {
  const own = /^Program log: (.*(?:error|insufficient|exceeds|invalid).*)/i
  const said =
    logs.map(line => own.exec(line)?.[1]).findLast(Boolean) ?? logs.findLast(line => / failed: /.test(line))
  const code = typeof err === 'string' ? err : JSON.stringify(err)
  return said ? `${code}: ${said.slice(0, 300)}` : code
}

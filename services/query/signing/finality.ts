/** What the chain says today of the sale behind a receipt. */
import { NotReady } from '../../../pipelines/rails/failures.ts'
import { finalityNow, type TakenBack, takenBackNow } from '../../../schemas/finality.ts'
import { isSameName, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { Failure } from '../../offer/errors.ts'
import type { Tools } from '../../offer/operation.ts'

export const finalities = ['settled', 'safe', 'final', 'taken_back', 'lost'] as const
type Finality = (typeof finalities)[number]

export interface SignedSale {
  /** CAIP-2. */
  network: string
  payer: string
  transaction: string
  /** In seconds. */
  issuedAt: number
}

/** Undefined if nobody can tell: the network is unknown, or a record cannot be read. The receipt is ours all the same. */
export function finalityOf(sale: SignedSale, tools: Pick<Tools, 'view'>): Finality | undefined {
  try {
    return finalityIn(sale, tools)
  } catch (error) {
    if (error instanceof Failure || error instanceof NotReady) return undefined
    throw error
  }
}

function finalityIn(sale: SignedSale, { view }: Pick<Tools, 'view'>): Finality | undefined {
  const name = networkNames.find(each => networks[each].caip2 === sale.network)
  if (!name) return undefined
  const { receipt: network } = networks[name]
  const told = toldOf(sale, network, view(takenBackNow, undefined).rows())
  if (told && told.state !== 'settled_again') return told.state
  const line = view(finalityNow, undefined).get(network)
  if (!line) return 'settled'
  // A receipt is signed after its sale, in whole seconds.
  const issuedMs = Number(sale.issuedAt) * 1000
  if (issuedMs < Date.parse(line.since)) return 'settled'
  const from = told ? Date.parse(told.at) : issuedMs + 1000
  if (Date.parse(line.through) >= from) return 'final'
  return Date.parse(line.safe_through ?? line.through) >= from ? 'safe' : 'settled'
}

/** One transaction may hold several sales to one payer. Then the one that fares worst speaks for all. */
function toldOf(
  { payer, transaction }: SignedSale,
  network: string,
  rows: Iterable<TakenBack>,
): TakenBack | undefined {
  let told: TakenBack | undefined
  for (const row of rows)
    if (row.network === network && isSameName(row.payment_tx, transaction) && isSameName(row.payer, payer))
      if (!told || told.state === 'settled_again') told = row
  return told
}

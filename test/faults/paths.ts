/** The ways that the purchases of a run go. Faults, kills and customers are the same on each of them. */
export interface Path {
  name: string
  /** Who settles, in order: x402's own code, the same with another key, or the seller's own keys. */
  settle: readonly ('first' | 'second' | 'own')[]
  doors: readonly Door[]
  /** A file changes prices and payees while quotes are being paid. */
  isPriced: boolean
  /** Half of the sales are paid back while others are made. */
  isRefunded: boolean
}

export type Door = 'http' | 'mcp' | 'mpp'

const plain: Path = {
  name: 'one facilitator',
  settle: ['first'],
  doors: ['http', 'mcp'],
  isPriced: false,
  isRefunded: false,
}

export const paths: readonly Path[] = [
  plain,
  { ...plain, name: 'two facilitators', settle: ['first', 'second'] },
  { ...plain, name: 'own settling', settle: ['own'] },
  { ...plain, name: 'prices of a file', isPriced: true },
  { ...plain, name: 'MPP', doors: ['mpp'] },
  { ...plain, name: 'refunds', isRefunded: true },
  {
    name: 'all of it',
    settle: ['first', 'own'],
    doors: ['http', 'mcp', 'mpp'],
    isPriced: true,
    isRefunded: true,
  },
]

import { createHash } from 'node:crypto'

/** Programs of the framework Anchor begin each account with eight bytes that follow from its name. */
export const accountMark = (name: string): Uint8Array =>
  createHash('sha256').update(`account:${name}`).digest().subarray(0, 8)

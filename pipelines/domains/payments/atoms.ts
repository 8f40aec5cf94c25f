import { toAtoms } from '../../../schemas/tables/stablecoins.ts'

const places = 6

/** USDC in its smallest unit, from decimal text. */
export const atomsOf = (text: string): bigint => toAtoms(text, places)

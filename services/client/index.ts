/** farebox-client: public data by the call, typed, paid in USDC over x402. */
export * from './farebox.ts'
export { operations } from './operations.ts'
export { type Caps, type Purse, purseInMemory, type Taken } from './purse.ts'
export { purseInFile } from './purse-file.ts'
export { type Offer, type Quote, usdOf } from './quote.ts'
export type { Operations, Receipt, SharedCode } from './shapes.ts'
export type { Wallet } from './wallet.ts'

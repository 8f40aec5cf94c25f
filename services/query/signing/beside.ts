/** The words that stand beside the signatures of a sale, and that readers take for signed. */
import { z } from 'zod'
import type { TypedMessage } from '../../../pipelines/rails/signing/eip712.ts'
import { networkNames, networks } from '../../../schemas/tables/networks.ts'
import { receipt as receiptShape } from '../../till/receipt.ts'

const ofSettlement = z.strictObject({
  success: z.literal(true).optional(),
  network: z.string().optional(),
  payer: z.string().optional(),
  transaction: z.string().optional(),
  extensions: z.unknown(),
})
/** A caller may have chosen some of its fields. */
const ofReceipt = receiptShape.partial()
const sameIn = ['network', 'payer', 'transaction'] as const

/**
 * Whether the settlement and the receipt in the answer say what was signed, as far as they say it. What stands under no signature
 * (`request_id`, `fetched_at`, `tool`, `price_usdc`) must have its form alone.
 */
export function isVouchedFor(signed: TypedMessage, settlement: unknown, receipt: unknown): boolean {
  const { data: told } = ofSettlement.safeParse(settlement)
  if (!told || sameIn.some(name => told[name] !== undefined && told[name] !== signed[name])) return false
  if (receipt === undefined) return true
  const { data: shown } = ofReceipt.safeParse(receipt)
  const network = networkNames.find(name => networks[name].caip2 === signed.network)
  return (
    shown !== undefined &&
    (shown.payment_tx ?? signed.transaction) === signed.transaction &&
    network !== undefined &&
    (shown.network ?? networks[network].receipt) === networks[network].receipt &&
    (shown.price_usdc ?? 0) >= 0
  )
}

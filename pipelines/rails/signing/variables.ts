/** The key that signs for this service. */
import { keys } from '../environment/kinds.ts'

export const signerVariables = {
  SIGNER_KEY: keys
    .optional()
    .describe(
      'signs offers, receipts and refunds, and names the challenges of MPP, which is not offered without it; to change it, put the new key in front of the old one',
    ),
}

/** Keys that everybody can derive. They sign in the sandbox and in examples, and prove nothing. */
import { sha256 } from '../../rails/signing/sha256.ts'

const keyOf = (what: string): string => `0x${sha256(`farebox development key: ${what}`)}`

export const developmentKeys = { attest: keyOf('attest'), log: keyOf('attest log') }

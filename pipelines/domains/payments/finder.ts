/** A chain's answer about one payment. If the chain cannot tell, the finder rejects. It never guesses. */
export type Finding = Found | NotFound

interface Found {
  found: true
  tx: string
  /** The place of the payment's own transfer, as in `chain_payments`. A transaction may hold other transfers too. */
  position: number
}

interface NotFound {
  found: false
  /** It moved no money for this sale, and never will. */
  final: boolean
  reason: string
}

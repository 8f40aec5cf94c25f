/** What a chain says about one payment. Where the chain cannot tell, the finder rejects. It never guesses. */
export type Finding =
  | { found: true; tx: string }
  /** `final`: it moved no money and never will. */
  | { found: false; final: boolean; reason: string }

/** What a chain says about one payment. Nobody who asks gets a guess: a chain that cannot tell rejects. */
export type Look =
  | { found: true; tx: string }
  /** `final`: it did not move money and never will. */
  | { found: false; final: boolean; reason: string }

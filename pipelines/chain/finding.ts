/** What a chain says about one payment. A chain that cannot tell rejects: nobody who asks is given a guess. */
export type Finding =
  | { found: true; tx: string }
  /** `final`: it moved no money and never will. */
  | { found: false; final: boolean; reason: string }

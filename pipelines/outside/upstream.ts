/** An Upstream is a service of others that we ask. It is declared once, and all that knows of it is derived from here. */

export interface Upstream {
  /** The variable of the environment that holds its base address. */
  variable: `${string}_URL`
  /** Where it is in earnest. The paths below its address are its own, wherever that is. */
  live: string
  /** What it has, in the words of the sandbox's banner and the operators' table. */
  title: string
  /** How an answer names it as its source. */
  credit: string
  /** Absent: a request may be made at any time. Upstreams that count together name one rate. */
  rate?: Rate
  /** How lookups ask it. Absent: once for each question. */
  patience?: Patience
  /** The variable by which an operator brings what it would be asked for: then nobody asks it. */
  replacedBy?: string
  /**
   * The answer of the live one to `path` holds `proof`; the login page of some network does not. Absent: what it has is
   * too large for a sandbox, which always takes the sample.
   */
  probe?: { path: string; proof: RegExp }
  /** Stands in for it in the sandbox, and is loaded only there. */
  sample: () => Promise<{ sample: Sample }>
}

/** What an upstream allows one host. */
export interface Rate {
  /** Whom we leave alone when it was too much. */
  of: string
  /** The variable of the environment that holds the share of this process, in requests a second. */
  variable: string
  perSecond: number
  /** Is this refusal its way to say that it was too much? A 429 always is. */
  isTooMuch(status: number, body: string): boolean
  forgivenAfterMs: number
}

/** How a question is asked until it is answered. */
export interface Patience {
  /** Of one request. */
  timeoutMs: number
  /** Before each further try of a request that failed, give or take 30 %. */
  pausesMs: readonly number[]
  atOnce: number
  /** Requests that may wait for their turn; more fail at once. */
  mostWaiting: number
  /** So many failures in a row, and for so long nothing is asked; then one request goes ahead of the others. */
  circuit: { failures: number; openMs: number }
}

/** Undefined: the sample has no such page. */
export type Sample = (asked: {
  path: string
  query: URLSearchParams
  now: number
  /** The wallet on Base that the sandbox is paid to. */
  payTo: string
}) => SampleAnswer | undefined

export interface SampleAnswer {
  status?: number
  type?: string
  body: string | Buffer
}

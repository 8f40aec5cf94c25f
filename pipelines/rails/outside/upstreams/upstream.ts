/**
 * An Upstream is a service of others that we ask. It is declared once, and everything else follows from the
 * declaration.
 */

export interface Upstream {
  /** The variable of the environment that holds its base address. */
  variable: `${string}_URL`
  /** Its real address. A proxy or mirror has the same paths. */
  live: string
  /** Its address if other variables identify the operator. Undefined, or absent: `live`. */
  liveBy?(set: Readonly<Record<string, string | undefined>>): string | undefined
  /** The name of its data in the banner of the sandbox and in the table for operators. */
  title: string
  /** The name under which an answer credits it as its source. */
  credit: string
  /** Upstreams that count requests together share one rate. Absent: requests are not limited. */
  rate?: UpstreamRate
  /** How lookups retry it. Absent: they ask once for each question. */
  patience?: Patience
  /** If the operator sets this variable, he provides the data himself, and nobody asks the upstream. */
  replacedBy?: string
  /**
   * This upstream gives the same data as the named one, which comes first. In the sandbox both are live or both are
   * samples.
   */
  standsInFor?: Upstream
  /**
   * The real answer to `path` matches `proof`; the login page of a network does not. Absent for data that is too
   * large for a sandbox, which then always uses the sample.
   */
  probe?: { path: string; proof: RegExp }
  /** Replaces the upstream in the sandbox, and is loaded only there. */
  sample: () => Promise<{ sample: Sample }>
}

/** The rate that an upstream allows one host. */
export interface UpstreamRate {
  /** The name of the owner: after it has said "too much", we ask it nothing for a while. */
  of: string
  /** The variable of the environment that holds the share of this process, in requests per second. */
  variable: string
  perSecond: number
  /** Whether this refusal means "too much". A 429 always does. */
  isTooMuch(status: number, body: string): boolean
  forgivenAfterMs: number
}

/** How long and how often we try to get an answer. */
export interface Patience {
  /** For one request. */
  timeoutMs: number
  /** The pauses before each retry of a failed request, plus or minus 30 %. */
  pausesMs: readonly number[]
  atOnce: number
  /** The number of requests that may wait for their turn. Further ones fail at once. */
  mostWaiting: number
  /** After `failures` in a row, nothing is asked for `openMs`, for one caller or for all (runner/circuit.ts). Then a few requests go first. */
  circuit: { failures: number; openMs: number }
}

/** Undefined if the sample has no such page. */
export type Sample = (asked: {
  path: string
  query: URLSearchParams
  now: number
  /** The wallet on Base that receives the payments of the sandbox. */
  payTo: string
}) => SampleAnswer | undefined

export interface SampleAnswer {
  status?: number
  type?: string
  body: string | Buffer
}

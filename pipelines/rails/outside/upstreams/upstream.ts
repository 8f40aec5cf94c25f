/** An Upstream is a service of others that we ask. It is declared once, and everything else is derived from that. */

export interface Upstream {
  /** The variable of the environment that holds its base address. */
  variable: `${string}_URL`
  /** Its real address. A proxy or mirror has the same paths. */
  live: string
  /** Its address where other variables say who it is. Undefined, or absent: `live`. */
  liveBy?(set: Readonly<Record<string, string | undefined>>): string | undefined
  /** The name of its data in the banner of the sandbox and in the table for operators. */
  title: string
  /** The name under which an answer credits it as its source. */
  credit: string
  /** Upstreams that count requests together share one rate. Absent: requests are not limited. */
  rate?: UpstreamRate
  /** How lookups retry it. Absent: they ask once for each question. */
  patience?: Patience
  /** With this variable the operator provides the data. Then nobody asks the upstream. */
  replacedBy?: string
  /** Gives the same data as this one, which comes first. In the sandbox the two are live together or samples together. */
  standsInFor?: Upstream
  /**
   * The real answer to `path` matches `proof`, and the login page of some network does not. Absent: its data is too
   * large for a sandbox, which then always uses the sample.
   */
  probe?: { path: string; proof: RegExp }
  /** Replaces it in the sandbox. It is loaded only there. */
  sample: () => Promise<{ sample: Sample }>
}

/** The rate that an upstream allows one host. */
export interface UpstreamRate {
  /** The name of the owner: after it has said "too much", we ask it nothing for a while. */
  of: string
  /** The variable of the environment that holds the share of this process, in requests per second. */
  variable: string
  perSecond: number
  /** Whether it says "too much" with this refusal. A 429 always does. */
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
  /** After `failures` in a row nothing is asked for `openMs`. Then one request goes ahead of the others. */
  circuit: { failures: number; openMs: number }
}

/** Undefined: the sample has no such page. */
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

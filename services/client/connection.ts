/** Asks a seller, who may be anybody: it follows no redirect, and bounds every answer. */

export interface Heard {
  response: Response
  /** What it says, where that is an object. */
  json: Record<string, unknown>
  /** All that it says: JSON of any form, or a text. */
  said: unknown
  code: string
}

/** Nothing was heard, or not all of it: why, in words that hold nothing of the request. */
export interface Lost {
  lost: string
  /** The request did not even reach the seller. */
  isUnreached: boolean
}

export interface ConnectionOptions {
  url: string
  /**
   * How long the same request is sent again after a lost connection, or while an outcome is unknown. One try ends with it too,
   * or after 10 seconds where that is more. Undefined: a minute, and five for one try.
   */
  patienceMs: number | undefined
  send: typeof fetch
}

/** Answers after which the payment may still get what it paid for. */
const unsettled = new Set(['payment_unknown', 'payment_in_flight'])
const pauseMs = 500
const usualPatienceMs = 60_000
const shortestTryMs = 10_000
/** While no money is on its way, a seller who cannot be reached is asked again for this long. */
const unreachedMs = 2000
/** The longest time for one answer. Its size is bounded, too. */
const answerLimitMs = 300_000
const answerLimitBytes = 64 << 20

export const addressOf = (path: string, { url }: Pick<ConnectionOptions, 'url'>): string =>
  url + (path.startsWith('/') ? path : `/${path}`)

/** When the patience of a request ends that is sent from now on. */
export const patienceEnd = ({ patienceMs = usualPatienceMs }: ConnectionOptions): number =>
  Date.now() + patienceMs

interface Asking {
  until?: number
  /** With a payment it must be sent again, for the money may be on its way. */
  paid?: boolean
}

/** Without a payment a request can be sent again at no risk. */
export async function ask(
  request: RequestInit,
  path: string,
  options: ConnectionOptions,
  { until = patienceEnd(options), paid = false }: Asking = {},
): Promise<Heard | Lost> {
  const unreachedUntil = paid ? until : Math.min(until, Date.now() + unreachedMs)
  for (;;) {
    const leftOfAllMs = Math.max(shortestTryMs, until - Date.now())
    const limitMs = options.patienceMs === undefined ? answerLimitMs : Math.min(leftOfAllMs, answerLimitMs)
    const heard = await once(request, path, options, limitMs)
    const isFinal = !('lost' in heard) && !unsettled.has(heard.code)
    const leftMs = ('lost' in heard && heard.isUnreached ? unreachedUntil : until) - Date.now()
    if (isFinal || leftMs < pauseMs) return heard
    const askedMs = 'lost' in heard ? 0 : Number(heard.response.headers.get('retry-after')) * 1000 || 0
    await new Promise(resolve => setTimeout(resolve, Math.min(leftMs, Math.max(pauseMs, askedMs))))
  }
}

async function once(
  request: RequestInit,
  path: string,
  options: ConnectionOptions,
  limitMs: number,
): Promise<Heard | Lost> {
  const { send } = options
  try {
    // A redirect would carry the payment, which is as good as money, to anybody whom the seller names.
    const response = await send(addressOf(path, options), {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    })
    const text = await textOf(response)
    const isJson = response.headers.get('content-type')?.includes('json')
    const said: unknown = isJson ? JSON.parse(text) : text
    const json = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>
    return { response, json, said, code: typeof json.error === 'string' ? json.error : '' }
  } catch (error) {
    return lossOf(error, options, limitMs)
  }
}

const unreached: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'it takes no connection',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak https',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody who is known',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody who is known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody who is known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  'bad port': 'no client may ask this port',
}

/** An error's own words may repeat the address and the headers. */
function lossOf(error: unknown, { url }: ConnectionOptions, limitMs: number): Lost {
  const { name, cause } = error as Error & { cause?: { code?: unknown; message?: string } }
  const host = URL.canParse(url) ? new URL(url).host : 'the address'
  const why = unreached[String(cause?.code ?? cause?.message)]
  if (why) return { lost: `${host}: ${why}`, isUnreached: true }
  const told =
    name === 'TimeoutError' ? `it said nothing for ${limitMs / 1000} seconds` : 'the connection was lost'
  return { lost: `${host}: ${told}`, isUnreached: false }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > answerLimitBytes) throw new Error('the answer has no end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

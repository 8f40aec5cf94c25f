/** Asks a seller, who may be anybody: nothing is followed elsewhere, and no answer is read without end. */

export interface Heard {
  response: Response
  json: Record<string, unknown>
  code: string
}

export interface ConnectionOptions {
  url: string
  /** How long the same request is sent again after a lost connection, or while an outcome is unknown. */
  patienceMs: number
  send: typeof fetch
}

/** Answers to a payment that may still end in the answer that was paid for. */
const unsettled = new Set(['payment_unknown', 'payment_in_flight'])
const pauseMs = 500
/** One answer takes no longer, and is no larger. */
const answerLimitMs = 300_000
const answerLimitBytes = 64 << 20

export const addressOf = (path: string, { url }: Pick<ConnectionOptions, 'url'>): string =>
  url + (path.startsWith('/') ? path : `/${path}`)

/** Without a payment a request can be sent again at no risk; with one it must be, for the money may be on its way. */
export async function ask(
  request: RequestInit,
  path: string,
  options: ConnectionOptions,
): Promise<Heard | undefined> {
  const until = Date.now() + options.patienceMs
  for (;;) {
    const heard = await once(request, path, options)
    const isFinal = heard !== undefined && !unsettled.has(heard.code)
    const leftMs = until - Date.now()
    if (isFinal || leftMs < pauseMs) return heard
    const askedMs = Number(heard?.response.headers.get('retry-after')) * 1000 || 0
    await new Promise(resolve => setTimeout(resolve, Math.min(leftMs, Math.max(pauseMs, askedMs))))
  }
}

/** Undefined: the connection was lost before the whole answer was here, or the answer is none. */
async function once(
  request: RequestInit,
  path: string,
  options: ConnectionOptions,
): Promise<Heard | undefined> {
  const { send } = options
  try {
    // Who follows a redirect carries the payment, which is as good as money, to whomever the seller names.
    const response = await send(addressOf(path, options), {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerLimitMs),
    })
    const text = await textOf(response)
    const isJson = response.headers.get('content-type')?.includes('json')
    const json: unknown = isJson ? JSON.parse(text) : {}
    if (typeof json !== 'object' || json === null) return undefined
    const told = json as Record<string, unknown>
    return { response, json: told, code: typeof told.error === 'string' ? told.error : '' }
  } catch {
    return undefined
  }
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

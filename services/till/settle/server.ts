/** Our own facilitator over HTTP. It speaks as any other one, and settles what we quote, and nothing else. */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { Failure } from '../../offer/errors.ts'
import { isObject } from '../header.ts'
import { reasons, type Settler } from './settler.ts'
import type { OwnTerms } from './terms.ts'

interface SettleServerOptions {
  host: string
  port: number
  /** Callers must know it. Undefined: whoever reaches the port may ask. */
  token: string | undefined
  settlers: readonly Settler[]
  terms: OwnTerms
  onError(error: unknown): void
}

export interface SettleServer {
  url: string
  close(): Promise<void>
}

interface Answer {
  status: number
  body: object
}

const mostBytes = 64 * 1024
const requestMs = 10_000
const mostConnections = 8192
/** Longer than the till keeps an idle connection, so that none ends while a call is on its way. */
const keepAliveMs = 65_000

export async function serveSettling(options: SettleServerOptions): Promise<SettleServer> {
  const server = createServer(
    { requestTimeout: requestMs, headersTimeout: requestMs },
    (request, response) => {
      answer(options, request)
        .catch((error): Answer => {
          options.onError(error)
          return { status: 503, body: { error: 'try again' } }
        })
        .then(({ status, body }) => {
          if (request.complete === false) response.setHeader('connection', 'close')
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
        })
    },
  )
  server.maxConnections = mostConnections
  server.keepAliveTimeout = keepAliveMs
  await listening(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeIdleConnections()
      // Their answers come first: a settler that closes answers everybody.
      await Promise.all(options.settlers.map(settler => settler.close()))
      setImmediate(() => server.closeAllConnections())
      await closed
    },
  }
}

function listening(server: Server, { host, port }: SettleServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function answer(options: SettleServerOptions, request: IncomingMessage): Promise<Answer> {
  if (!knows(options.token, request.headers.authorization))
    return { status: 401, body: { error: 'who asks?' } }
  const asked = `${request.method} ${request.url}`
  if (asked === 'GET /supported') return { status: 200, body: supported(options) }
  if (asked !== 'POST /verify' && asked !== 'POST /settle')
    return { status: 404, body: { error: 'not found' } }
  const body = await read(request)
  if (!body) return { status: 400, body: { error: 'the body is no JSON of this size' } }
  return { status: 200, body: await (asked === 'POST /verify' ? verify : settle)(options, body) }
}

function knows(token: string | undefined, given = ''): boolean {
  if (token === undefined) return true
  return timingSafeEqual(Buffer.from(sha256(`Bearer ${token}`)), Buffer.from(sha256(given)))
}

function supported({ settlers }: SettleServerOptions) {
  const open = settlers.flatMap(settler => {
    const terms = settler.terms()
    return terms ? [{ settler, terms }] : []
  })
  return {
    kinds: open.map(({ settler, terms }) => ({
      x402Version: 2,
      scheme: 'exact',
      network: settler.network,
      ...(terms.feePayer !== undefined && { extra: terms }),
    })),
    extensions: [],
    signers: Object.fromEntries(open.map(({ settler }) => [settler.network, settler.signers])),
  }
}

interface Asked {
  network: string
  settler: Settler
  spend: Awaited<ReturnType<Settler['check']>>
}

/** Finds whose payment it is and checks it. The reason, if it is none of ours or does not pay. */
async function checked({ settlers, terms }: SettleServerOptions, body: Record<string, unknown>) {
  const { paymentPayload, paymentRequirements: wanted } = body
  const payload = isObject(paymentPayload) ? paymentPayload.payload : undefined
  if (!isObject(wanted) || !isObject(payload)) return 'invalid_payload'
  const offer = terms.offerOf(wanted)
  const settler = settlers.find(({ network }) => network === wanted.network)
  if (!offer || !settler) return 'invalid_payment_requirements'
  try {
    return { network: offer.network, settler, spend: await settler.check(payload, offer) } satisfies Asked
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.code === 'payment_expired' ? reasons.expired : 'invalid_payload'
  }
}

async function verify(options: SettleServerOptions, body: Record<string, unknown>) {
  const asked = await checked(options, body)
  if (typeof asked === 'string') return { isValid: false, invalidReason: asked }
  const { settler, spend } = asked
  const obstacle = await settler.obstacle(spend)
  return obstacle === undefined
    ? { isValid: true, payer: spend.payer }
    : { isValid: false, invalidReason: obstacle, payer: spend.payer }
}

async function settle(options: SettleServerOptions, body: Record<string, unknown>) {
  const asked = await checked(options, body)
  if (typeof asked === 'string') return { success: false, transaction: '', network: '', errorReason: asked }
  const { settler, spend, network } = asked
  return { ...(await settler.settle(spend)), network, payer: spend.payer }
}

async function read(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > mostBytes) return undefined
    parts.push(part)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString())
    return isObject(value) ? value : undefined
  } catch {
    // Strangers send anything.
    return undefined
  }
}

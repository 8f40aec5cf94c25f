/** Fetches the openapi.json of a running seller, who may be anybody: no redirect, a bounded time, and bounded bytes. */
import { Misused } from './command-line.ts'
import { type SellerCalls, sellerCalls } from './seller-calls.ts'

const mostBytes = 4 << 20
const withinMs = 30_000

export interface DocumentedSeller extends SellerCalls {
  address: string
  /** Its host, for a name of a package: tides-example. */
  name: string
}

export async function sellerAt(address: string): Promise<DocumentedSeller> {
  const url = addressOf(address)
  const document = await documentAt(url).catch(error => {
    throw new Error(`${url.origin}/openapi.json cannot be read: ${(error as Error).message}`)
  })
  const read = sellerCalls(document, url.href)
  for (const line of read.leftOut) console.error(`left out: ${line}`)
  return { ...read, address: url.origin, name: url.host.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') }
}

function addressOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.username || url.password || url.search || url.hash || url.pathname !== '/')
    throw new Misused('the address should be https://host, and nothing behind it')
  return url
}

async function documentAt({ origin }: URL): Promise<unknown> {
  const headers = { accept: 'application/json' }
  const response = await fetch(`${origin}/openapi.json`, {
    ...{ headers, redirect: 'error', signal: AbortSignal.timeout(withinMs) },
  })
  if (response.status !== 200) throw new Error(`it answered ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
    parts.push(part)
  }
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)))
}

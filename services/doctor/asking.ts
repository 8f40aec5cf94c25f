/** Asks a host over HTTP, and notes by its reply how far the two clocks are apart. */

import manifest from '../../package.json' with { type: 'json' }
import { cappedFetch } from '../../pipelines/rails/outside/upstreams/capped-fetch.ts'
import type { Patient } from './diagnosis.ts'

const fetchSome = cappedFetch(8 << 20)

interface Heard {
  status: number
  headers: Headers
  text: string
}

/** Rejects if nothing answers in time. */
export async function ask(
  { config, now, ahead, patienceMs }: Patient,
  url: string,
  init: RequestInit = {},
): Promise<Heard> {
  const begun = now()
  const response = await fetchSome(url, {
    redirect: 'manual',
    ...init,
    headers: { 'user-agent': `Farebox/${manifest.version} (+${config.CONTACT})`, ...init.headers },
    signal: AbortSignal.timeout(patienceMs),
  })
  const told = Date.parse(response.headers.get('date') ?? '')
  // A cache tells the time at which it kept the reply.
  if (!Number.isNaN(told) && !response.headers.has('age'))
    ahead.set(new URL(url).host, (begun + now()) / 2 - (told + 500))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export async function askJson<T>(patient: Patient, url: string, init?: RequestInit): Promise<T> {
  const { status, text } = await ask(patient, url, init)
  if (status !== 200) throw new Error(`HTTP ${status}`)
  try {
    return JSON.parse(text) as T
  } catch {
    throw new Error('it answers, but not in JSON')
  }
}

/** A call of JSON-RPC. Undefined: the node does not know the method. */
export async function callNode<T>(
  patient: Patient,
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<T | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const { result, error } = await askJson<{ result?: T; error?: { code: number; message: string } }>(
    patient,
    url,
    { method: 'POST', headers, body },
  )
  const unknownMethod = -32601
  if (error?.code === unknownMethod) return undefined
  if (error) throw new Error(error.message)
  return result
}

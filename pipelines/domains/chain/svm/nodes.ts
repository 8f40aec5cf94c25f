/** Asks the nodes of Solana over JSON-RPC. A node that lags, or belongs to another network, counts as a failed node. */

import { chains, type SvmChainName } from '../../../../schemas/tables/chains.ts'
import { asUpstreamFailed, UpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints } from '../../payments/endpoints.ts'
import type { SvmWitness } from './witness.ts'

export interface SvmNodes {
  chain: SvmChainName
  now(): number
  /** `check` rejects a bad answer of a node, so that the next node is asked. */
  ask<T>(method: string, params: readonly unknown[], check?: (answer: T) => void): Promise<Answered<T>>
  /** For a call that many nodes refuse, or answer too slowly. Undefined if this node does so too. */
  askIfAllowed<T>(method: string, params: readonly unknown[]): Promise<T | undefined>
  /** Asks this node alone, once. */
  askNode<T>(url: string, method: string, params: readonly unknown[]): Promise<Answered<T>>
  /** Another node than this one. Undefined if there is none. */
  otherThan(url: string): string | undefined
  /** Where the looks of a question write down what they have read, so that another node can confirm it. */
  witness?: SvmWitness
}

interface Answered<T> {
  answer: T
  /** The host of the node: its path or user may hold a key. */
  source: string
  /** Its whole address, which no answer shows. */
  url: string
}

/** The node answers, but refuses this call. Its other answers remain valid. */
class CallRefused extends UpstreamFailed {
  override name = 'CallRefused'
}

/** The time limit of one call, and of all tries for one question. */
const callMs = 6000
const questionMs = 14_000
const allowedMs = 2500
/** A node that is silent for this long is hedged by the next one. */
const hedgeMs = 1500
/** The codes with which nodes refuse a method, or a call that would take them too long. */
const refusing = new Set([-32010, -32600, -32601, -32602])

export function openSvmNodes(options: {
  chain: SvmChainName
  urls: readonly string[]
  perSecond: number
  now: () => number
}): SvmNodes {
  const { chain, urls, perSecond, now } = options
  const endpoints = new Endpoints({ network: chain, urls, perSecond, hedgeMs })
  return {
    chain,
    now,
    otherThan: url => urls.find(each => each !== url),
    async askNode<T>(url: string, method: string, params: readonly unknown[]) {
      const source = new URL(url).hostname
      const reply = await call<T>(url, method, params, AbortSignal.timeout(callMs))
      if ('refused' in reply) throw new CallRefused(`${source} refuses ${method}: ${reply.refused}`)
      return { answer: reply.answer, source, url }
    },
    async askIfAllowed<T>(method: string, params: readonly unknown[]) {
      const signal = AbortSignal.timeout(allowedMs)
      try {
        return await endpoints.ask(async url => {
          // The world fails: this question can do without the answer, and the node is not blamed.
          const reply = await call<T>(url, method, params, signal).catch(() => undefined)
          return reply && 'answer' in reply ? reply.answer : undefined
        }, signal)
      } catch {
        // The call took longer than this answer can wait.
        return undefined
      }
    },
    async ask<T>(method: string, params: readonly unknown[], check?: (answer: T) => void) {
      const signal = AbortSignal.timeout(questionMs)
      try {
        const { answer, refused, source, url } = await endpoints.ask(async url => {
          const source = new URL(url).hostname
          const reply = await call<T>(url, method, params, signal)
          if ('refused' in reply) return { ...reply, source, url, answer: undefined }
          check?.(reply.answer)
          return { ...reply, source, url, refused: undefined }
        }, signal)
        if (refused !== undefined) throw new CallRefused(`${source} refuses ${method}: ${refused}`)
        return { answer: answer as T, source, url }
      } catch (error) {
        throw asUpstreamFailed(error, chains[chain].title)
      }
    },
  }
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy in front of the node answers with its own text.
    throw new UpstreamFailed(`it answered ${status} without JSON`)
  }
}

/** fetch accepts no user and password in an address, and its error would repeat them. */
function requestTo(url: string) {
  const address = new URL(url)
  const { username, password } = address
  address.username = ''
  address.password = ''
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  )
  return {
    address,
    headers: {
      'content-type': 'application/json',
      ...(username && { authorization: `Basic ${secret}` }),
    },
  }
}

async function call<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<{ answer: T } | { refused: string }> {
  const { address, headers } = requestTo(url)
  const response = await nodeFetch(address, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
  })
  // A number of more than 15 digits would lose its last digits.
  const text = (await response.text()).replace(/"lamports":(\d{16,})/g, '"lamports":"$1"')
  const reply = parsed(text, response.status) as { result?: T; error?: { code?: number; message?: string } }
  const { code, message } = reply.error ?? {}
  if (code !== undefined && refusing.has(code)) return { refused: message ?? String(code) }
  if (reply.result === undefined) throw new UpstreamFailed(`${method}: ${message ?? response.status}`)
  return { answer: reply.result }
}

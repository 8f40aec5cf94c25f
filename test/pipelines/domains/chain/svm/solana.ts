/** The sandbox's Solana with a test's own accounts, and the Solana reader on it. */
import { type Address, address } from '@solana/kit'
import { type ChainRefused, isRefused } from '../../../../../pipelines/domains/chain/reader.ts'
import { openSvmChain } from '../../../../../pipelines/domains/chain/svm/reader.ts'
import { toBase58 } from '../../../../../pipelines/domains/payments/svm/base58.ts'
import { json, serveLoopback } from '../../../../../services/sandbox/loopback.ts'
import { SolanaChain } from '../../../../../services/sandbox/solana-chain.ts'
import { answerRpc } from '../../../../../services/sandbox/solana-rpc.ts'

export interface Solana {
  chain: SolanaChain
  reader: ReturnType<typeof openSvmChain>
  url: string
  /** The calls that were made, by their method. */
  calls: string[]
  lay(program: string, at: string, data: Uint8Array): void
  close(): Promise<void>
}

interface Options {
  /** Changes the node's answer to a call. */
  answer?: (asked: { method: string; params: unknown[] }, would: () => unknown) => unknown
  /** Further nodes, for use after this one is given up. */
  others?: readonly string[]
}

export async function startSolana({
  answer = (_, would) => would(),
  others = [],
}: Options = {}): Promise<Solana> {
  const chain = new SolanaChain('solana', Date.now)
  const calls: string[] = []
  const node = await serveLoopback(({ body }) => {
    const asked = JSON.parse(body)
    calls.push(asked.method)
    return { body: json(answer(asked, () => answerRpc(chain, body))) }
  })
  const urls = [node.url, ...others]
  return {
    chain,
    calls,
    url: node.url,
    close: () => node.close(),
    reader: openSvmChain({ chain: 'solana', urls, perSecond: 100_000, now: Date.now }),
    lay: (program, at, data) =>
      chain.lay({ address: address(at) as Address, programAddress: address(program), data }),
  }
}

/** The answer of one node alone, which disagrees with nobody. */
export function answered<T extends object>(answer: T): Exclude<T, ChainRefused<string>> {
  if (isRefused(answer)) throw new Error('it was refused')
  return answer as Exclude<T, ChainRefused<string>>
}

/** A key that no test has used before. */
export const newKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return toBase58(bytes)
}

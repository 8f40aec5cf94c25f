/** Answers the JSON-RPC calls of x402 clients, facilitators, the till and the reader of chains. */
import { getSignatureFromTransaction, isFullySignedTransaction } from '@solana/kit'
import { accountMethods } from './solana-accounts.ts'
import type { SolanaChain } from './solana-chain.ts'
import { result, statusJson, transactionJson } from './solana-json.ts'
import { addressOf, type Methods, type Params, RpcError, withContext } from './solana-reply.ts'
import { decodeTransaction, memoIn } from './solana-transaction.ts'

interface RpcRequest {
  id: unknown
  method: string
  params?: Params
}

/** Answers one call or a batch. */
export function answerRpc(chain: SolanaChain, body: string): unknown {
  const asked = JSON.parse(body) as RpcRequest | RpcRequest[]
  return Array.isArray(asked) ? asked.map(one => answerOne(chain, one)) : answerOne(chain, asked)
}

function answerOne(chain: SolanaChain, { id, method, params = [] }: RpcRequest) {
  const call = methods[method]
  try {
    if (!call) throw new RpcError(-32601, `the sandbox's Solana does not know ${method}`)
    return { jsonrpc: '2.0', id, result: call(chain, params) }
  } catch (error) {
    const code = error instanceof RpcError ? error.code : -32602
    return { jsonrpc: '2.0', id, error: { code, message: (error as Error).message } }
  }
}

const methods: Methods = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: chain => chain.genesisHash,
  getSlot: chain => chain.slot,
  getBlockHeight: chain => chain.slot,
  getBlockTime: (chain, [slot]) => chain.timeOf(BigInt(slot as number)),
  getLatestBlockhash: chain => withContext(chain, chain.latestBlockhash()),
  isBlockhashValid: (chain, [hash]) => withContext(chain, chain.isBlockhashValid(String(hash))),
  getBalance: (chain, [at]) => withContext(chain, chain.account(addressOf(at))?.lamports ?? 0),
  // Nobody pays for priority on this chain.
  getRecentPrioritizationFees: chain => [{ slot: chain.slot, prioritizationFee: 0 }],
  getMinimumBalanceForRentExemption: (_, [bytes]) => (Number(bytes) + 128) * 6960,
  ...accountMethods,
  simulateTransaction: (chain, [encoded]) => {
    const { err, logs, computeUnits } = chain.simulate(decodeTransaction(String(encoded)))
    return withContext(chain, {
      err,
      logs,
      unitsConsumed: computeUnits,
      accounts: null,
      returnData: null,
      innerInstructions: null,
    })
  },
  sendTransaction: (chain, [encoded, options]) => {
    const transaction = decodeTransaction(String(encoded))
    const { skipPreflight } = (options ?? {}) as { skipPreflight?: boolean }
    const { err } = skipPreflight ? { err: null } : chain.simulate(transaction)
    if (err) throw new RpcError(-32002, `Transaction simulation failed: ${JSON.stringify(err)}`)
    if (!isFullySignedTransaction(transaction))
      throw new RpcError(-32003, 'Transaction signature verification failure')
    chain.send(transaction)
    return getSignatureFromTransaction(transaction)
  },
  getSignatureStatuses: (chain, [signatures]) =>
    withContext(
      chain,
      (signatures as string[]).map(signature => {
        const landed = find(chain, signature)
        return landed ? { ...statusJson(landed), confirmations: null, status: result(landed.err) } : null
      }),
    ),
  getSignaturesForAddress: (chain, [at, options]) => {
    const {
      limit = 1000,
      before,
      until,
    } = (options ?? {}) as {
      limit?: number
      before?: string
      until?: string
    }
    const all = chain.landed.filter(landed => landed.accounts.includes(addressOf(at)))
    const from = before === undefined ? 0 : all.findIndex(landed => landed.signature === before) + 1
    const to = all.findIndex(landed => landed.signature === until)
    return all
      .slice(from, to < 0 ? undefined : to)
      .slice(0, limit)
      .map(landed => ({
        ...statusJson(landed),
        signature: landed.signature,
        blockTime: landed.blockTime,
        memo: memoIn(landed.transaction),
      }))
  },
  getTransaction: (chain, [signature, options]) => {
    const landed = find(chain, String(signature))
    const { encoding = 'json' } = (options ?? {}) as { encoding?: string }
    if (encoding !== 'json' && encoding !== 'jsonParsed' && encoding !== 'base64')
      throw new RpcError(
        -32602,
        `the sandbox's Solana shows transactions as json, jsonParsed or base64, not ${encoding}`,
      )
    return landed ? transactionJson(chain, landed, encoding) : null
  },
}

const find = (chain: SolanaChain, signature: string) =>
  chain.landed.find(landed => landed.signature === signature)

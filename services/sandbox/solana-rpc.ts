/** Answers the JSON-RPC calls that x402 clients, facilitators, the till and the reader of chains make to a Solana node. */
import {
  type Address,
  address,
  getBase58Encoder,
  getSignatureFromTransaction,
  isFullySignedTransaction,
} from '@solana/kit'
import type { SolanaChain } from './solana-chain.ts'
import { accountJson, amountJson, result, statusJson, transactionJson } from './solana-json.ts'
import { isTokenData, tokenAmount, tokenMint, tokenOwner, tokenProgram } from './solana-token.ts'
import { decodeTransaction } from './solana-transaction.ts'

type Params = readonly unknown[]
interface RpcRequest {
  id: unknown
  method: string
  params?: Params
}

class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
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

const methods: Record<string, (chain: SolanaChain, params: Params) => unknown> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: chain => chain.genesisHash,
  getSlot: chain => chain.slot,
  getBlockHeight: chain => chain.slot,
  getBlockTime: (chain, [slot]) => chain.timeOf(BigInt(slot as number)),
  getLatestBlockhash: chain => withContext(chain, chain.latestBlockhash()),
  isBlockhashValid: (chain, [hash]) => withContext(chain, chain.isBlockhashValid(String(hash))),
  getBalance: (chain, [at]) => withContext(chain, chain.account(addressOf(at))?.lamports ?? 0),
  getMinimumBalanceForRentExemption: (_, [bytes]) => (Number(bytes) + 128) * 6960,
  getAccountInfo: (chain, [at]) => withContext(chain, accountJson(chain.account(addressOf(at)))),
  getMultipleAccounts: (chain, [list, options]) => {
    const addresses = list as unknown[]
    if (addresses.length > mostAccounts)
      throw new RpcError(-32602, `Too many inputs provided; max ${mostAccounts}`)
    const { minContextSlot = 0 } = (options ?? {}) as { minContextSlot?: number }
    if (chain.slot < BigInt(minContextSlot))
      throw new RpcError(-32016, 'Minimum context slot has not been reached')
    return withContext(
      chain,
      addresses.map(at => accountJson(chain.account(addressOf(at)))),
    )
  },
  getTokenAccountsByOwner: (chain, [owner, filter]) => {
    const { programId = tokenProgram, mint } = (filter ?? {}) as { programId?: string; mint?: string }
    const held = chain.addressesOf(addressOf(programId)).flatMap(pubkey => {
      const account = chain.account(pubkey)
      if (!account || !isTokenData(account.data) || tokenOwner(account.data) !== owner) return []
      return mint === undefined || tokenMint(account.data) === mint
        ? [{ pubkey, account: accountJson(account) }]
        : []
    })
    return withContext(chain, held)
  },
  getProgramAccounts: (chain, [program, options]) => {
    const { filters = [], dataSlice } = (options ?? {}) as { filters?: Filter[]; dataSlice?: Slice }
    return chain.addressesOf(addressOf(program)).flatMap(pubkey => {
      const account = chain.account(pubkey)
      if (!account || !filters.every(filter => fits(account.data, filter))) return []
      const { offset = 0, length = account.data.length } = dataSlice ?? {}
      const data = account.data.subarray(offset, offset + length)
      return [{ pubkey, account: accountJson({ ...account, data }) }]
    })
  },
  getTokenAccountBalance: (chain, [at]) => {
    const account = chain.account(addressOf(at))
    if (!account) throw new RpcError(-32602, 'Invalid param: could not find account')
    return withContext(chain, amountJson(tokenAmount(account.data)))
  },
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
        memo: null,
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

interface Slice {
  offset: number
  length: number
}
type Filter = { dataSize: number } | { memcmp: { offset: number; bytes: string } }

function fits(data: Uint8Array, filter: Filter): boolean {
  if ('dataSize' in filter) return data.length === filter.dataSize
  const { offset, bytes } = filter.memcmp
  const wanted = getBase58Encoder().encode(bytes) as Uint8Array
  return Buffer.from(wanted).equals(data.subarray(offset, offset + wanted.length))
}

/** As on mainnet. */
const mostAccounts = 100

const withContext = (chain: SolanaChain, value: unknown) => ({
  context: { apiVersion: '3.0.0', slot: chain.slot },
  value,
})
const find = (chain: SolanaChain, signature: string) =>
  chain.landed.find(landed => landed.signature === signature)
function addressOf(text: unknown): Address {
  try {
    return address(String(text))
  } catch {
    throw new RpcError(-32602, 'Invalid param: not an address')
  }
}

/** What a sale costs where we settle by ourselves on Base, in a transaction of 1, 10 and 100: gas, bytes, and what Base takes for them. */
import { createPublicClient, type Hex, hexToBytes, http } from 'viem'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { openEvm, payers, proxied, receiptOf, spendOf } from '../services/till/settle/bench.ts'
import { dataFee, fastLzLength } from './data-fee.ts'

const counts = [1, 10, 100]
/** In wei of a unit of gas: the least that Base takes. */
const gasPrice = 5_000_000n
/** The scalars are those that Base has set (README.md). Assumed: Ethereum at 1 gwei, blobs at 0.001 gwei. */
const prices = {
  baseFee: 10n ** 9n,
  blobBaseFee: 10n ** 6n,
  baseFeeScalar: 2269n,
  blobBaseFeeScalar: 1_055_762n,
}
const gwei = (wei: bigint, count: number): string => (Number(wei) / count / 1e9).toFixed(2)

export async function settling(): Promise<void> {
  const chain = await startEvmChain('base')
  const settler = await openEvm(chain, { windowMs: 2000 })
  const node = createPublicClient({ transport: http(chain.rpcUrl) })
  try {
    await proxied(chain)
    const crowd = await payers(
      chain,
      counts.reduce((sum, count) => sum + count, 1),
    )
    // The payee holds some from here on.
    const [first] = crowd.splice(0, 1)
    if (first) await settler.settle(await spendOf(settler, chain, first))
    console.log('\neach sale: gas, bytes, FastLZ, data fee in gwei, gas fee in gwei; the last to end after')
    for (const count of counts) {
      const spends = await Promise.all(crowd.splice(0, count).map(by => spendOf(settler, chain, by)))
      const startedAt = performance.now()
      const settled = await Promise.all(spends.map(spend => settler.settle(spend)))
      const tookMs = performance.now() - startedAt
      const hashes = new Set(settled.map(({ transaction }) => transaction as Hex))
      if (hashes.size !== 1) throw new Error(`${count} went in ${hashes.size} transactions`)
      const [hash] = [...hashes] as [Hex]
      const raw = (await node.request({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      } as never)) as Hex
      const bytes = hexToBytes(raw)
      const packed = fastLzLength(bytes)
      const { gasUsed } = await receiptOf(chain, hash)
      const of = (all: number) => (all / count).toFixed(0)
      console.log(
        `${count} in one: ${of(Number(gasUsed))} gas, ${of(bytes.length)} bytes, ${of(packed)} packed, ${gwei(dataFee(packed, prices), count)}, ${gwei(gasUsed * gasPrice, count)}; ${(tookMs / 1000).toFixed(1)} s`,
      )
    }
  } finally {
    await settler.close()
    await chain.close()
  }
}

/** What a price costs: time, processor time, calls to the node, and how often it waits for one. */
import { openEvmChain } from '../../pipelines/domains/chain/evm/reader.ts'
import { type ChainReader, isRefused } from '../../pipelines/domains/chain/reader.ts'
import { tokenProgram, usdcMint } from '../../pipelines/domains/chain/svm/programs.ts'
import { layMarket } from '../../services/sandbox/solana-market.ts'
import { type Market, weth } from '../pipelines/domains/chain/market.ts'
import { asked } from '../pipelines/domains/chain/rounds.ts'
import { mint } from '../pipelines/domains/chain/svm/account-writer.ts'
import { layWhirlpool } from '../pipelines/domains/chain/svm/pool-writer.ts'
import { newKey, startSolana } from '../pipelines/domains/chain/svm/solana.ts'

const times = 300
/** The first ones only warm up. */
const warmUp = 50

export async function evmCost({ network, rpcUrl }: Market): Promise<void> {
  const open = () => openEvmChain({ chain: network, urls: [rpcUrl], perSecond: 100_000, now: Date.now })
  const kept = open()
  console.log('\na price that nobody shares, on a node of this machine')
  await cost('EVM, first of a process', () => open().price(weth))
  await cost('EVM', () => kept.price(weth))
  await cost('EVM, a check', () => kept.check(weth))
}

/** The node runs within this process, so the processor time contains it. */
export async function solanaCost(): Promise<void> {
  const solana = await startSolana()
  try {
    layMarket(solana.chain)
    const layToken = () => {
      const token = newKey()
      solana.lay(tokenProgram, token, mint())
      layWhirlpool(solana.lay, {
        token,
        quote: usdcMint,
        priceX128: 1n << 128n,
        width: 1280,
        liquidity: 10n ** 13n,
      })
      return token
    }
    const known = layToken()
    const first = await asked(() => priced(solana.reader, known))
    console.log(`Solana, first of a process: ${first.calls} calls in ${first.rounds} rounds`)
    await cost('Solana, a new token', () => priced(solana.reader, layToken()))
    await cost('Solana, a known token', () => priced(solana.reader, known))
  } finally {
    await solana.close()
  }
}

async function priced(reader: ChainReader, token: string): Promise<void> {
  const price = await reader.price(token)
  if (isRefused(price)) throw new Error(price.because)
}

async function cost(name: string, price: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < warmUp; i++) await price()
  const { calls, rounds } = await asked(price)
  const took: number[] = []
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await price()
    took.push(performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(before)
  took.sort((a, b) => a - b)
  const at = (q: number) => (took[Math.floor(took.length * q)] as number).toFixed(1)
  const cpuMs = ((user + system) / 1000 / times).toFixed(1)
  console.log(
    `${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${cpuMs} ms of CPU, ${calls} calls in ${rounds} rounds`,
  )
}

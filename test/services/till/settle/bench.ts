/** Our own settlers on real chains, for tests: payers by the dozen, blocks on command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createTestClient, type Hex, http, parseAbi, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { evmClient } from '../../../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { EvmSettler } from '../../../../services/till/settle/evm-settler.ts'
import type { SettlingOptions } from '../../../../services/till/settle/settler.ts'
import { until } from '../../../until.ts'
import { offerOn, type payer, signed } from '../paying.ts'

const usdcAbi = parseAbi(['function mint(address to, uint256 value) returns (bool)'])

/** As a process alone with its log. */
export const settling = (chain: PlayChain, more: Partial<SettlingOptions> = {}): SettlingOptions => ({
  rpcUrls: [chain.rpcUrl],
  keys: [chain.settleKey],
  mostFee: 100n * 10n ** 9n,
  alone: (_duty, open) => open({} as never),
  now: Date.now,
  onError: () => {},
  ...more,
})

export const openEvm = (chain: PlayChain, more?: Partial<SettlingOptions>) =>
  EvmSettler.open('base', settling(chain, more))

/** Our own facilitator in a process of its own. */
export async function settlingProcess({ rpcUrl, settleKey, payTo }: PlayChain) {
  const script = fileURLToPath(new URL('./settling-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, rpcUrl, settleKey, payTo], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [said] = await once(child.stdout, 'data')
  return {
    url: String(said).trim(),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

type Payer = typeof payer

/** Payers with a dollar each. */
export async function payers(chain: PlayChain, count: number): Promise<Payer[]> {
  const made = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
  const client = evmClient('base', chain.rpcUrl, 'payTo')
  for (const { address } of made) {
    const hash = await client.writeContract({
      ...{ address: networks.base.asset, abi: usdcAbi, functionName: 'mint', args: [address, 1_000_000n] },
    })
    await client.waitForTransactionReceipt({ hash })
  }
  return made as Payer[]
}

export async function spendOf(settler: EvmSettler, chain: PlayChain, by: Payer, change = {}) {
  const { payload } = await signed({ to: chain.payTo, ...change }, Date.now(), 'base', by)
  return settler.check(payload, { ...offerOn('base'), scheme: 'exact', payTo: chain.payTo })
}

/** Blocks come on command until `resume`. */
export function blocksOf(chain: PlayChain) {
  const client = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).extend(publicActions)
  const waiting = async () => {
    const { pending } = (await client.getTxpoolContent()) as {
      pending: Record<string, Record<string, { hash: Hex; maxFeePerGas: Hex; input: Hex }>>
    }
    return Object.values(pending).flatMap(each => Object.values(each))
  }
  return {
    client,
    waiting,
    async stop() {
      await client.setAutomine(false)
      await client.setIntervalMining({ interval: 0 })
    },
    mine: () => client.mine({ blocks: 1 }),
    async resume() {
      await client.setIntervalMining({ interval: 1 })
      await client.setAutomine(true)
      await client.mine({ blocks: 1 })
    },
    sent: () => until(async () => (await waiting()).length > 0, 'a transaction that waits'),
  }
}

export const receiptOf = (chain: PlayChain, hash: string) =>
  blocksOf(chain).client.getTransactionReceipt({ hash: hash as Hex })

/** Our own settlers on real chains, for tests: payers by the dozen, blocks on command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  createTestClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  parseAbi,
  publicActions,
} from 'viem'
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
  spent: () => {},
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

/** EIP-1967's place of the code behind a proxy, and of its admin. */
const codeSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const adminSlot = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103'
const behind = `0x${'c0de'.repeat(10)}` as const

/** Lays the token behind a proxy, as USDC is on every chain: each call reads who administers it and where its code is. */
export async function proxied(chain: PlayChain): Promise<void> {
  const { client } = blocksOf(chain)
  const { asset } = networks.base
  const code = await client.getCode({ address: asset })
  await client.setCode({ address: behind, bytecode: code as Hex })
  await client.setStorageAt({
    address: asset,
    index: codeSlot,
    value: `0x${'00'.repeat(12)}${behind.slice(2)}`,
  })
  const forward = [
    // What the admin calls is not forwarded: sload(adminSlot), pop.
    `7f${adminSlot.slice(2)}5450`,
    // calldatacopy(0, 0, calldatasize)
    '365f5f37',
    // delegatecall(gas, sload(codeSlot), 0, calldatasize, 0, 0)
    `5f5f365f7f${codeSlot.slice(2)}545af4`,
    // returndatacopy(0, 0, returndatasize); return or revert with it
    '3d5f5f3e6056573d5ffd5b3d5ff3',
  ].join('')
  const jump = (forward.length - '5b3d5ff3'.length) / 2
  await client.setCode({
    address: asset,
    bytecode: `0x${forward.replace('6056573d', `60${jump.toString(16).padStart(2, '0')}573d`)}`,
  })
}

/** A wallet of a contract that calls every signature valid, after as much work as it likes. */
export async function contractWallet(chain: PlayChain, address: Hex, gas: 'little' | 'much'): Promise<void> {
  // isValidSignature's own selector as bytes4, after a loop of 20,000 rounds where it is to be dear.
  const answer = '7f1626ba7e000000000000000000000000000000000000000000000000000000005f5260205ff3'
  const loop = '614e205b6001900380600357'
  await blocksOf(chain).client.setCode({
    address,
    bytecode: `0x${gas === 'much' ? loop : ''}${gas === 'much' ? '50' : ''}${answer}`,
  })
}

/** The place of the balances in the play token. */
const balancesSlot = 1n
/** Takes all dollars of an account, in no transaction. */
export async function emptiedWallet(chain: PlayChain, address: Hex): Promise<void> {
  const at = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, balancesSlot])
  await blocksOf(chain).client.setStorageAt({
    address: networks.base.asset,
    index: keccak256(at),
    value: `0x${'00'.repeat(32)}`,
  })
}

export const receiptOf = (chain: PlayChain, hash: string) =>
  blocksOf(chain).client.getTransactionReceipt({ hash: hash as Hex })

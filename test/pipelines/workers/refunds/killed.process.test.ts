/** `kill -9` of the process that pays, around its send, on both chains: the payer has his money once, with the same log or a lost one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { openEvmRefunds } from '../../../../pipelines/domains/payments/evm/refund.ts'
import { openSvmRefunds } from '../../../../pipelines/domains/payments/svm/refund.ts'
import { leaveOrder } from '../../../../pipelines/workers/refunds/orders.ts'
import { startEvmChain } from '../../../../services/sandbox/evm-chain.ts'
import { solanaKeyText, solanaSigner } from '../../../../services/sandbox/keys.ts'
import { serveLoopback } from '../../../../services/sandbox/loopback.ts'
import { startSolanaChain } from '../../../../services/sandbox/solana-node.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'
import { paidSale } from '../../domains/payments/paid-sale.ts'

const start = { base: () => startEvmChain('base'), solana: () => startSolanaChain() }
const program = fileURLToPath(new URL('refunding-child.ts', import.meta.url))
const sends = /"method":"(eth_sendRawTransaction|sendTransaction)"/

async function aWorld(network: 'base' | 'solana') {
  const chain = await start[network]()
  onTestFinished(() => chain.close())
  const sale = await paidSale(chain)
  const owed = await chain.balance(chain.payer)
  const state = {
    at: undefined as 'before' | 'behind' | undefined,
    child: undefined as ChildProcess | undefined,
    said: '',
  }
  /** A node that has the process killed at its send. */
  const node = await serveLoopback(async ({ body }) => {
    const isFatal = state.at !== undefined && sends.test(body)
    if (isFatal && state.at === 'before') {
      state.child?.kill('SIGKILL')
      return { status: 503, body: '' }
    }
    const headers = { 'content-type': 'application/json' }
    const said = await (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).text()
    if (isFatal) state.child?.kill('SIGKILL')
    return { body: said }
  })
  onTestFinished(() => node.close())
  const { payer, payTo, tx } = sale
  const row = {
    ...{ network, amount: '0.002', payer, pay_to: payTo, tx, position: null },
    ...{ last: 'settled', taken: '', standing: '' },
  }
  function begin(file: string, at?: 'before' | 'behind', key = chain.refundKey, former: string[] = []) {
    const keys = [{ name: network, key, rpcUrls: [node.url], payTo }]
    const child = spawn(process.execPath, [program, JSON.stringify({ file, row, keys, former })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    Object.assign(state, { at, child, said: '' })
    child.stdout?.on('data', said => {
      state.said += said
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return new Promise<string | null>(resolve => child.on('exit', (_, signal) => resolve(signal)))
  }
  return {
    chain,
    sale,
    owed,
    begin,
    stop: () => state.child?.kill('SIGKILL'),
    steps: () => state.said.trim().split('\n'),
  }
}

const isLong = process.env.LONG_FORM !== undefined

it.skipIf(!isLong).each([
  ['base', 'behind', 'the same log'],
  ['base', 'behind', 'a lost log'],
  ['base', 'behind', 'a lost log and another key'],
  ['solana', 'behind', 'the same log'],
  ['solana', 'behind', 'a lost log'],
  ['solana', 'behind', 'a lost log and another key'],
  ['base', 'before', 'the same log'],
] as const)(
  `on %s, %s the send, with %s${isLong ? '' : ': LONG_FORM is unset'}`,
  async (network, at, left) => {
    const { chain, owed, begin, stop, steps } = await aWorld(network)
    const first = `${scratchFolder()}/log.db`
    leaveOrder(first, { requestId: 'sold', reason: null })
    expect(await begin(first, at)).toBe('SIGKILL')
    const next = left === 'the same log' ? first : `${scratchFolder()}/log.db`
    if (next !== first) {
      await until(async () => (await chain.balance(chain.payer)) === owed + 2000n, 'the first refund')
      leaveOrder(next, { requestId: 'sold', reason: null })
    }
    const [key, former] = left.endsWith('another key') ? await anotherKey(network) : [undefined, undefined]
    const ended = begin(next, undefined, key, former)
    await until(() => steps().includes('paid'), 'the refund', 30_000)
    stop()
    await ended
    expect(await chain.balance(chain.payer)).toBe(owed + 2000n)
    expect(steps().filter(step => step === 'paid')).toHaveLength(1)
  },
  60_000,
)

async function anotherKey(network: 'base' | 'solana'): Promise<[string, string[]]> {
  if (network === 'solana')
    return [await solanaKeyText('secondFacilitator'), [(await solanaSigner('refunds')).address]]
  return [
    generatePrivateKey(),
    [privateKeyToAccount('0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a').address],
  ]
}

it('a memo of a stranger pays nothing back, and a sale of others is not taken for this one', async () => {
  const chain = await startSolanaChain()
  onTestFinished(() => chain.close())
  const sale = { ...(await paidSale(chain)), position: 0 }
  const options = { network: 'solana', rpcUrls: [chain.rpcUrl], now: Date.now } as const
  // The payer writes our memo beside a transfer of the price, out of his own account into ours.
  const forger = openSvmRefunds({ ...options, key: await solanaKeyText('payer') })
  const ours = openSvmRefunds({ ...options, key: chain.refundKey })
  const forged = await forger.prepare({ ...sale, payer: ours.address })
  expect(forged).toHaveProperty('message_sha256')
  await forger.send(forged as never)
  const trace = await ours.prepare(sale)
  expect(trace).toHaveProperty('message_sha256')
  await ours.send(trace as never)
  expect(await ours.prepare(sale)).toHaveProperty('landed')
  expect(await ours.prepare({ ...sale, amount: 1999n })).toHaveProperty('message_sha256')
})

it('on EVM a lost log finds what this key or a former one has paid, and sends nothing', async () => {
  const chain = await startEvmChain('base')
  onTestFinished(() => chain.close())
  const sale = { ...(await paidSale(chain)), position: 0 }
  const options = { network: 'base', rpcUrls: [chain.rpcUrl], mostGwei: 100, now: Date.now } as const
  const ours = openEvmRefunds({ ...options, key: chain.refundKey })
  const other = (former: string[]) => openEvmRefunds({ ...options, key: chain.settleKey, former })
  const trace = await ours.prepare(sale)
  expect(trace).toHaveProperty('nonce')
  expect(await other([ours.address]).prepare(sale)).toEqual({ obstacle: 'balance' })
  await ours.send(trace as never)
  await until(async () => 'landed' in (await ours.prepare(sale)), 'the refund')
  expect(await other([ours.address]).prepare(sale)).toEqual(await ours.prepare(sale))
  expect(await other([]).prepare(sale)).toEqual({ obstacle: 'balance' })
}, 30_000)

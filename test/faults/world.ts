/** Two real chains, those who settle on them, and connections that fail as planned. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address } from '@solana/kit'
import { createTestClient, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { facilitating } from '../../services/sandbox/facilitator.ts'
import { evmAccount, solanaKeyText, solanaSigner } from '../../services/sandbox/keys.ts'
import { json, type Loopback, serveLoopback } from '../../services/sandbox/loopback.ts'
import { openingBalance, type PlayChain } from '../../services/sandbox/play-chain.ts'
import { SolanaChain } from '../../services/sandbox/solana-chain.ts'
import { answerRpc } from '../../services/sandbox/solana-rpc.ts'
import { startFaultyNode } from './faulty-node.ts'
import { startFaultyWire, Troubles } from './faulty-wire.ts'
import { freePort } from './free-port.ts'
import type { Path } from './paths.ts'
import { basePayers, type Payer, solanaPayer } from './payers.ts'
import { otherPrice, type SellerOptions } from './seller-options.ts'

type Selling = Pick<SellerOptions, 'config' | 'nodes' | 'own' | 'refundKeys' | 'priceFile'>

export interface World {
  selling: Selling
  troubles: Troubles
  payer(network: 'base' | 'solana'): Promise<Payer>
  earned(): Promise<bigint>
  /** Every wallet that may be paid. */
  wallets: readonly { network: 'base' | 'solana'; payTo: string }[]
  /** Nodes that never fail. */
  rpcUrls: Readonly<Record<'base' | 'solana', string>>
  /** Makes what the chains hold final. */
  finalise(): Promise<void>
  /** The nodes kill it over a transaction that it sends. */
  kill: () => void
  /** From now on nothing fails. */
  mend(): void
  /** Moves the clocks of both chains forward. */
  turn(ms: number): Promise<void>
  close(): Promise<void>
}

/** Quotes are being paid while their prices change. */
const pricesMs = 1500
const mostKills = 4

export async function openWorld(path: Path, seed: number): Promise<World> {
  let aheadMs = 0
  let kills = 0
  const [base, solana] = [await startEvmChain('base'), new SolanaChain('solana', () => Date.now() + aheadMs)]
  const test = createTestClient({ mode: 'anvil', transport: http(base.rpcUrl) })
  const node = await serveLoopback(({ body }) => ({ body: json(answerRpc(solana, body)) }))
  const accounts = await openAccounts(solana)
  const payees = { base: base.payTo, solana: accounts.payTo, ...otherPayees(accounts.otherPayTo) }
  const chains = [base, { network: 'solana', rpcUrl: node.url } as PlayChain]
  const troubles = new Troubles()
  const kill = () => void (kills++ < mostKills && world.kill())
  const nodes = {
    base: await startFaultyNode(base.rpcUrl, seed, kill),
    solana: await startFaultyNode(node.url, seed + 1, kill),
  }
  const own = path.settle.includes('own') ? await openOwn(test) : undefined
  const settling = await Promise.all(path.settle.map(who => startOne(who, { chains, own, troubles })))
  const prices = path.isPriced ? changePrices(payees) : undefined

  const payOnBase = basePayers(base, {
    payees: [payees.base, payees.otherBase],
    refunder: evmAccount('refunds').address,
  })
  const world: World = {
    selling: {
      config: {
        facilitators: settling.map(({ url }) => ({ url })),
        payTo: [
          { name: 'base', address: payees.base },
          { name: 'solana', address: payees.solana },
        ],
        rpcUrls: { base: [base.rpcUrl], solana: [node.url] },
      },
      nodes: { base: nodes.base.url, solana: nodes.solana.url },
      own,
      refundKeys: path.isRefunded
        ? { base: base.refundKey, solana: await solanaKeyText('refunds') }
        : undefined,
      priceFile: prices?.file,
    },
    troubles,
    payer: network => (network === 'base' ? payOnBase() : solanaPayer(solana, node.url)),
    async earned() {
      const onBase = await Promise.all([payees.base, payees.otherBase].map(base.balance))
      const onSolana = [payees.solana, payees.otherSolana].map(payee => solana.balance(address(payee)))
      return [...onBase, ...(await Promise.all(onSolana))].reduce((sum, each) => sum + each, 0n)
    },
    wallets: [
      { network: 'base', payTo: payees.base },
      { network: 'base', payTo: payees.otherBase },
      { network: 'solana', payTo: payees.solana },
      { network: 'solana', payTo: payees.otherSolana },
    ],
    rpcUrls: { base: base.rpcUrl, solana: node.url },
    finalise: () => test.mine({ blocks: 3, interval: 1 }),
    kill: () => {},
    mend() {
      troubles.clear()
      for (const each of Object.values(nodes)) each.mend()
    },
    async turn(ms) {
      aheadMs += ms
      await test.increaseTime({ seconds: ms / 1000 })
      await test.mine({ blocks: 1 })
    },
    async close() {
      prices?.stop()
      await Promise.all([...settling, ...Object.values(nodes)].map(each => each.close()))
      await node.close()
      await base.close()
    },
  }
  return world
}

async function openAccounts(solana: SolanaChain) {
  const addressOf = async (part: Parameters<typeof solanaSigner>[0]) => (await solanaSigner(part)).address
  for (const part of ['facilitator', 'secondFacilitator', 'payTo', 'canary'] as const)
    await solana.hold(await addressOf(part), 0n)
  await solana.hold(await addressOf('refunds'), openingBalance)
  return { payTo: await addressOf('payTo'), otherPayTo: await addressOf('canary') }
}

/** Those of the other price. Nobody has the key of the one on Base. */
const otherPayees = (otherSolana: string) => ({ otherBase: `0x${'b0'.repeat(20)}`, otherSolana })

/** A key that pays for gas, and the place where the seller's process listens with it. */
async function openOwn(test: ReturnType<typeof createTestClient>) {
  const key: Hex = generatePrivateKey()
  await test.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 20n })
  return { port: await freePort(), keys: { base: key, solana: await solanaKeyText('secondFacilitator') } }
}

interface Settling {
  chains: readonly PlayChain[]
  own: SellerOptions['own']
  troubles: Troubles
}

/** One who settles, behind a wire that fails. */
async function startOne(who: Path['settle'][number], { chains, own, troubles }: Settling): Promise<Loopback> {
  if (who === 'own') return startFaultyWire(`http://127.0.0.1:${own?.port}`, troubles)
  const part = who === 'first' ? 'facilitator' : 'secondFacilitator'
  const server = await serveLoopback(await facilitating(chains, part))
  const wire = await startFaultyWire(server.url, troubles)
  return { url: wire.url, close: async () => void (await Promise.all([wire.close(), server.close()])) }
}

function changePrices({ otherBase, otherSolana }: ReturnType<typeof otherPayees>) {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-prices-'))
  const file = `${folder}/prices.yaml`
  const other = { price: otherPrice, pay_to: { base: otherBase, solana: otherSolana } }
  const books = [{}, { operations: { '/draw': other, '/drawn': other } }]
  let nth = 0
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(books[nth++ % books.length]))
    renameSync(`${file}.new`, file)
  }
  write()
  const timer = setInterval(write, pricesMs)
  return {
    file,
    stop() {
      clearInterval(timer)
      rmSync(folder, { recursive: true })
    },
  }
}

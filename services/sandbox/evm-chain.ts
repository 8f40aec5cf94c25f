/** A play-money EVM chain: anvil with the real id of the chain, and an EIP-3009 USDC at its real address. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createTestClient, createWalletClient, type Hex, http, parseAbi, publicActions } from 'viem'
import { type EvmNetworkName, networks } from '../../schemas/tables/networks.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { evmAccount, evmCanaryKey, evmRefundKey, evmSettleKey, type SandboxPart } from './keys.ts'
import { type Leashed, leash } from './leash.ts'
import { openingBalance, type PlayChain } from './play-chain.ts'

const usdcAbi = parseAbi([
  'function setName(string given)',
  'function mint(address to, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
])
const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Authorizations expire by block time. */
export const blockSeconds = 1

export async function startEvmChain(network: EvmNetworkName): Promise<PlayChain> {
  const { asset, domain } = networks[network]
  const anvil = leash(anvilProgram(), [
    ...['--host', '127.0.0.1', '--port', '0', '--color', 'never', '--accounts', '5'],
    ...['--chain-id', String(chainIdOf(network)), '--prune-history', '300', '--slots-in-an-epoch', '1'],
    // A block comes with every transaction too.
    ...['--block-time', String(blockSeconds), '--mixed-mining'],
  ])
  try {
    const rpcUrl = `http://${await listening(anvil)}`
    // The till does not use the facilitator's account, because an account numbers its transactions.
    const till = evmClient(network, rpcUrl, 'payTo')
    const payer = evmClient(network, rpcUrl, 'payer')
    const mined = async (sent: Promise<Hex>) => {
      await till.waitForTransactionReceipt({ hash: await sent })
    }
    const usdc = { address: asset, abi: usdcAbi }
    const fund = (amount: bigint) =>
      mined(till.writeContract({ ...usdc, functionName: 'mint', args: [payer.account.address, amount] }))
    await layCode(rpcUrl, { [asset]: bytecode.usdc as Hex, [multicallAddress]: bytecode.multicall as Hex })
    await mined(till.writeContract({ ...usdc, functionName: 'setName', args: [domain.name] }))
    await fund(openingBalance)
    // From an account of its own: the addresses of the play market follow from what `payTo` has sent before.
    const refunder = evmClient(network, rpcUrl, 'refunds')
    for (const part of ['refunds', 'canary'] as const) {
      const args = [evmAccount(part).address, openingBalance] as const
      await mined(refunder.writeContract({ ...usdc, functionName: 'mint', args }))
    }
    return {
      network,
      rpcUrl,
      payer: payer.account.address,
      settleKey: evmSettleKey,
      refundKey: evmRefundKey,
      canaryKey: evmCanaryKey,
      payTo: till.account.address,
      balance: account => evmBalance(network, rpcUrl, account),
      fund,
      drain: async () => {
        const held = await evmBalance(network, rpcUrl, payer.account.address)
        const args = [evmAccount('facilitator').address, held] as const
        await mined(payer.writeContract({ ...usdc, functionName: 'transfer', args }))
      },
      ended: anvil.ended,
      close: anvil.close,
    }
  } catch (error) {
    await anvil.close()
    throw error
  }
}

const chainIdOf = (network: EvmNetworkName) => Number(networks[network].caip2.split(':')[1])

export function evmClient(network: EvmNetworkName, rpcUrl: string, part: SandboxPart) {
  const chain = {
    id: chainIdOf(network),
    name: `${networks[network].title}, for play`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }
  const account = evmAccount(part)
  return createWalletClient({
    account,
    chain,
    transport: http(rpcUrl),
    pollingInterval: 50,
    cacheTime: 0,
  }).extend(publicActions)
}

export const evmBalance = (network: EvmNetworkName, rpcUrl: string, account: string) =>
  evmClient(network, rpcUrl, 'payer').readContract({
    address: networks[network].asset,
    abi: usdcAbi,
    functionName: 'balanceOf',
    args: [account as Hex],
  })

async function layCode(rpcUrl: string, code: Record<string, Hex>): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  for (const [at, bytes] of Object.entries(code))
    await client.setCode({ address: at as Hex, bytecode: bytes })
}

/** Finds the binary itself, because its npm wrapper would be one more process to stop. */
function anvilProgram(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    return join(folder, 'bin', file)
  } catch {
    throw new Error(`the sandbox needs anvil, and ${name} is not installed on this machine`)
  }
}

function listening(anvil: Leashed): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const read = (text: string) => {
      said += text
      const address = /Listening on (\S+)/.exec(said)?.[1]
      if (!address) return
      anvil.stdout.off('data', read).resume()
      resolve(address)
    }
    anvil.stdout.setEncoding('utf8').on('data', read)
    anvil.ended.catch(({ message }) => reject(new Error(`anvil did not start: ${message}`)))
  })
}

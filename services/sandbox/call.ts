/** `npm run call`: the command `farebox` with the sandbox's address and play money. It reports each step on stderr. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run } from '../client/command.ts'
import { networkName } from '../client/networks.ts'
import { purseInMemory } from '../client/purse.ts'
import { quoteIn, usdOf } from '../client/quote.ts'
import { quoted } from '../client/words.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { correct } from './correction.ts'
import { blockSeconds } from './evm-chain.ts'
import { payerKeys } from './keys.ts'
import { findNote, type Note, sandboxFolder } from './note.ts'
import { skew } from './skew.ts'
import { conducts } from './two-facilitators.ts'
import { payerBalance } from './wallet.ts'
import { isStep, signedMessage, weighStep } from './weigh.ts'

class WrongUse extends Error {}

const tell = (what: string, value: string) => console.error(`${what.padEnd(8)} ${value}`)

async function main([first = 'help', ...rest]: string[]): Promise<number> {
  const asksOfItself = [first, ...rest].some(arg => ['--help', '-h', '--version'].includes(arg))
  if (asksOfItself || first === 'help') return run([first, ...rest], { env: {}, purse: purseInMemory() })
  const note = await findNote(sandboxFolder(environmentOfProcess()))
  if (!note) throw new Error('the sandbox is not running: start it with npm start')
  const args = first.startsWith('/') ? ['call', first, ...rest] : [first, ...rest]
  const solana = note.chains.find(({ network }) => network.startsWith('solana'))
  const env = { FAREBOX_URL: note.url, FAREBOX_KEY: payerKeys, FAREBOX_SOLANA_RPC: solana?.rpcUrl }
  const house = { env, purse: purseInMemory() }
  if (args[0] === 'weigh' && isStep(args[1])) {
    await weighStep(note, args[1])
    return 0
  }
  if (args[0] === 'facilitator') return steer(note, args[1], args[2])
  if (args[0] === 'skew') {
    const { token, blocks } = await skew(note)
    tell('skewed', `${token}: somebody has bought for 4000000 USDC`)
    tell(
      'told',
      `by /chain/price for the next ${blocks} blocks, about ${blocks * blockSeconds} s, once the pool is as old`,
    )
    return 0
  }
  if (args[0] === 'correct') {
    await correct(note, tell)
    return 0
  }
  if (args[0] === 'refund') return refund(note, args.slice(1))
  if (args[0] !== 'call' && args[0] !== 'market' && args[0] !== 'weigh') return run(args, house)

  const chain = chainOf(note, args[args.indexOf('--network') + 1 || args.length])
  if (args[0] === 'weigh') {
    const signed = await signedMessage(note, chain.network)
    for (const line of signed.message.split('\n')) tell('sign', line)
    args.splice(0, 1, 'call', '/weigh/subscribe', JSON.stringify(signed), '--max-usd', '5')
  }
  if (args.some(arg => arg.startsWith('--max-usd-a-day')))
    tell('day', 'what is spent in the sandbox is not kept: the cap of a day counts this call alone')
  const before = await payerBalance(chain)
  tell('before', `${usdOf(before)} USDC on ${chain.network}`)
  const code = await run(args, { ...house, fetch: told })
  const after = await payerBalance(chain)
  tell('after', `${usdOf(after)} USDC on ${chain.network}, ${usdOf(before - after)} USDC less`)
  return code
}

/** Has one of the two facilitators fail, or work again. */
async function steer({ facilitators }: Note, nth = '', conduct = ''): Promise<number> {
  const { ok } = await fetch(`${facilitators}/${nth}/${conduct}`, { method: 'POST' })
  if (!ok) throw new Error(`facilitator 1 or 2, then one of ${conducts.join(', ')}`)
  tell('now', `facilitator ${nth}: ${conduct}`)
  return 0
}

/** The operator's own command, with the log of the sandbox. */
function refund({ logUrl }: Note, args: readonly string[]): number {
  const program = fileURLToPath(new URL('../commands/refund.ts', import.meta.url))
  const env = { ...environmentOfProcess(), LOG_URL: logUrl }
  return spawnSync(process.execPath, [program, ...args], { env, stdio: 'inherit' }).status ?? 1
}

function chainOf({ chains }: Note, name: string | undefined): Note['chains'][number] {
  const chain = chains.find(({ network }) => name === undefined || network === name)
  if (chain) return chain
  throw new WrongUse(
    `--network is ${quoted(name ?? '')}; the sandbox runs ${chains.map(({ network }) => network).join(' or ')}`,
  )
}

/** Fetches, and reports the quote, then the status. */
async function told(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const { accepts = [] } = quoteIn(response) ?? {}
  for (const { amount, network, payTo } of accepts)
    tell('quote', `${usdOf(amount)} USDC on ${networkName(network)} to ${payTo}`)
  if (response.status === 402) return response
  const replayed = response.headers.get('idempotent-replayed') ? ' (replayed, nothing was paid)' : ''
  tell('answer', `HTTP ${response.status}${replayed}`)
  return response
}

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  error => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof WrongUse ? 2 : 1
  },
)

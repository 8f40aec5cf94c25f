/** `npm run call`: asks the sandbox one question, and pays with a real x402 client and play money. */
import { parseArgs } from 'node:util'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { wrapFetchWithPayment } from '@x402/fetch'
import { formatUnits } from 'viem'
import { networks } from '../../schemas/networks.ts'
import { environmentOfProcess } from '../config.ts'
import { sandboxFolder } from './environment.ts'
import { findNote, type Note } from './note.ts'
import { payerBalance, payingClient, type Reachable } from './wallet.ts'

const usage = `npm run call -- /fx '{"from":"USD","to":"JPY"}' [--network NAME] [--key IDEMPOTENCY-KEY] [--unpaid] [--url http://127.0.0.1:8402]`

const usdc = (atoms: bigint | string) => `${formatUnits(BigInt(atoms), 6)} USDC`
const say = (what: string, value: string) => console.log(`${what.padEnd(8)} ${value}`)
const pretty = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      network: { type: 'string' },
      url: { type: 'string' },
      key: { type: 'string' },
      unpaid: { type: 'boolean', default: false },
    },
  })
  const [path, question = '{}'] = positionals
  if (!path?.startsWith('/')) throw new Error(`usage: ${usage}`)
  const note = await findNote(sandboxFolder(environmentOfProcess()))
  if (!note) throw new Error('the sandbox is not running: start it with npm start')
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (values.key !== undefined) headers['idempotency-key'] = values.key
  const url = `${values.url ?? note.url}${path}`
  const request = { method: 'POST', headers, body: question }
  if (values.unpaid) await show(await quoting(url, request))
  else await pay(chainOf(note, values.network), url, request)
}

function chainOf(note: Note, name: string | undefined): Reachable {
  const chain = note.chains.find(
    ({ network }) => name === undefined || network === name || networks[network].receipt === name,
  )
  if (chain) return chain
  const known = note.chains.map(({ network }) => network).join(' or ')
  throw new Error(`--network is ${name}; the sandbox runs ${known}`)
}

async function pay(chain: Reachable, url: string, request: RequestInit): Promise<void> {
  const before = await payerBalance(chain)
  say('before', `${usdc(before)} on ${chain.network}`)
  await show(await wrapFetchWithPayment(quoting, await payingClient(chain))(url, request))
  const after = await payerBalance(chain)
  say('after', `${usdc(after)} on ${chain.network}, ${usdc(before - after)} less`)
}

/** Fetches, and prints the quote if the answer has one. */
async function quoting(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const quote = response.status === 402 ? response.headers.get('payment-required') : null
  for (const { amount, network, payTo } of quote ? decodePaymentRequiredHeader(quote).accepts : [])
    say('quote', `${usdc(amount)} on ${network} to ${payTo}`)
  return response
}

async function show(response: Response): Promise<void> {
  const replayed = response.headers.get('idempotent-replayed') ? ' (replayed, nothing was paid)' : ''
  say('answer', `HTTP ${response.status}${replayed}`)
  console.log(pretty(await response.text()))
  const settled = response.headers.get('payment-response')
  if (!settled) return
  const { success, transaction, network, errorReason } = decodePaymentResponseHeader(settled)
  say('settled', success ? `${transaction} on ${network}` : `no: ${errorReason}`)
}

// The reader closes the pipe when it has enough, as head does.
process.stdout.on('error', () => process.exit(0))

main(process.argv.slice(2)).catch(error => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})

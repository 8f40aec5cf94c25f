/** A node that loses some of the transactions it is sent, or takes them and does not say so, and has the sender killed over others. */
import { serveLoopback } from '../../services/sandbox/loopback.ts'
import { random } from './plan.ts'

export interface FaultyNode {
  url: string
  /** From now on it takes every transaction. */
  mend(): void
  close(): Promise<void>
}

const sends = /"method":"(eth_sendRawTransaction|sendTransaction)"/
const faults = ['none', 'lost', 'not told', 'killed before', 'killed behind'] as const
const broken = { status: 503, body: '' }

export async function startFaultyNode(rpcUrl: string, seed: number, kill: () => void): Promise<FaultyNode> {
  const draw = random(seed)
  let isMended = false
  const forward = async (body: string) => {
    const said = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status: said.status, body: await said.text() }
  }
  const node = await serveLoopback(async ({ body }) => {
    const isSend = !isMended && sends.test(body)
    const fault = isSend && draw() < 0.4 ? faults[Math.floor(draw() * faults.length)] : 'none'
    if (fault === 'killed before') kill()
    const said = fault === 'lost' || fault === 'killed before' ? broken : await forward(body)
    if (fault === 'killed behind') kill()
    return fault === 'none' ? said : broken
  })
  return {
    url: node.url,
    mend() {
      isMended = true
    },
    close: () => node.close(),
  }
}

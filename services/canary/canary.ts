/** Buys on every network in turn, again and again. A failure is tried again sooner, so that one lost packet is no alarm. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PayingWallet } from '../../pipelines/domains/payments/wallet.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import type { CanaryPurchase } from '../../schemas/canary-purchases.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'
import { buy, type Shopping } from './purchase.ts'

interface CanaryOptions extends Omit<Shopping, 'name' | 'wallet' | 'payTo' | 'nextAt'> {
  networks: readonly { name: NetworkName; wallet: PayingWallet; payTo?: string | undefined }[]
  everyMs: number
  tell(line: string): void
  onFailed(name: string, error: unknown): void
}

const mostAgainMs = 5 * 60_000

export function startCanary({ networks, everyMs, tell, onFailed, ...shopping }: CanaryOptions): Running {
  const stopping = new AbortController()
  const { signal } = stopping

  async function onOne({ name, wallet, payTo }: CanaryOptions['networks'][number]): Promise<void> {
    let pauseMs = everyMs
    while (!signal.aborted) {
      try {
        const nextAt = shopping.now() + everyMs
        const ended = await buy({ ...shopping, name, wallet, payTo, nextAt })
        tell(lineOf(ended))
        pauseMs = ended.state === 'failed' ? Math.min(everyMs, mostAgainMs) : everyMs
      } catch (error) {
        // The log does not take the fact. What was intended is counted, and the alert of a silent canary fires.
        onFailed(name, error)
        pauseMs = Math.min(everyMs, mostAgainMs)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  const running = Promise.all(networks.map(onOne))
  return {
    ended: running,
    async close() {
      stopping.abort()
      await running
    },
  }
}

const lineOf = ({ network, state, operation, price_usdc, failed_step, reason, payment_tx }: CanaryPurchase) =>
  [
    `canary: ${operation} on ${network} for ${price_usdc} USDC: ${state}`,
    ...(failed_step ? [`at ${failed_step}`] : []),
    ...(reason ? [`(${reason})`] : []),
    ...(payment_tx ? [payment_tx] : []),
  ].join(' ')

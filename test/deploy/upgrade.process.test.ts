/** An upgrade of a stack from an older version to this one, back and forth, while a customer buys all the time. It takes minutes, and room. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { lacking } from '../containers/docker.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { type Buyer, keepBuying } from './stack/buyer.ts'
import { prepareStack, type Stack } from './stack/stack.ts'
import { openWorld, type World } from './stack/world.ts'

/** The last version before this one. */
const older = { commit: '9ced614', version: '0.19.0' }
const hasCommit = () => {
  try {
    execFileSync('git', ['cat-file', '-e', `${older.commit}^{commit}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const isLong = process.env.LONG_FORM !== undefined
const missing = !isLong
  ? 'LONG_FORM is unset'
  : ((await lacking()) ?? (hasCommit() ? undefined : `this clone has no commit ${older.commit}`))

const ports = { query: '31502-31503', clickhouse: 31223, prometheus: 31290, alertmanager: 31294 }
const longMs = 600_000
/** What is asked of each version: so many sales in a row, by the customer who never stops. */
const salesOfEach = 20

describe.skipIf(missing)(missing ? `an upgrade: ${missing}` : 'an upgrade', () => {
  const folder = scratchFolder(afterAll)
  let world: World
  let stack: Stack
  let before: Stack['compose']
  let chain: PlayChain
  let buyer: Buyer
  let opened = 0n

  beforeAll(async () => {
    world = await openWorld()
    chain = world.chains.find(({ network }) => network === 'base') as PlayChain
    stack = await prepareStack({ name: 'farebox-upgrade', folder: join(folder, 'stack'), world, ports })
    await stack.remove()
    const checkout = join(folder, 'older')
    mkdirSync(checkout)
    const archive = execFileSync('git', ['archive', older.commit], { maxBuffer: 1 << 30 })
    execFileSync('tar', ['-x', '-C', checkout], { input: archive })
    before = await stack.older(checkout, older.version)
    opened = await chain.balance(chain.payTo)
  }, 3_600_000)

  afterAll(async () => {
    await buyer?.stop()
    await before?.('down', '--timeout', '5')
    await stack?.remove()
    await world?.close()
  }, longMs)

  const roles = ['ingest', 'worker', 'query']
  /** Compose gives up on a container that was too busy for its health check, which the older version had stricter: it is asked again. */
  const up = async (compose: Stack['compose']) => {
    let said: unknown
    await until(
      () =>
        compose('up', '--detach', '--wait', '--wait-timeout', '600', ...roles).then(
          () => true,
          (error: unknown) => {
            said = error
            return false
          },
        ),
      'every container to be healthy',
      longMs,
    ).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}: ${said}`)
    })
  }
  /** In the order of README.md. */
  async function change(from: Stack['compose'], to: Stack['compose']): Promise<void> {
    await from('stop', 'query')
    await from('stop', 'ingest', 'worker')
    await up(to)
  }
  const versionOf = async (seller = stack.sellers[0]) => {
    const { info } = (await (await fetch(`${seller}/openapi.json`)).json()) as { info: { version: string } }
    return info.version
  }
  const sells = async () => {
    const had = sold().length
    await until(() => sold().length >= had + salesOfEach, `${salesOfEach} sales`, longMs)
  }
  const sold = () => buyer.ended.filter(({ paymentTx }) => paymentTx !== undefined)

  it('begins with the older version, which sells', async () => {
    await up(before)
    expect(await versionOf()).toBe(older.version)
    buyer = await keepBuying(stack.sellers, chain)
    await sells()
  })

  it('goes to this one, which sells', async () => {
    await change(before, stack.compose)
    expect(await versionOf()).not.toBe(older.version)
    await sells()
  })

  it('goes back to the older one, which sells on', async () => {
    await change(stack.compose, before)
    expect(await versionOf()).toBe(older.version)
    await sells()
  })

  it('goes to this one again: every payment has bought one answer, and every sale is in the store', async () => {
    await change(before, stack.compose)
    await sells()
    await buyer.stop()
    const received = (await chain.balance(chain.payTo)) - opened
    expect(received).toBe(sold().reduce((sum, { amount }) => sum + amount, 0n))
    const paid = sold().map(({ paymentTx }) => paymentTx as string)
    expect(new Set(paid).size).toBe(paid.length)
    const headers = { 'x-clickhouse-user': 'analyst', 'x-clickhouse-key': 'theirs' }
    const inStore = async () => {
      const query = 'select payment_tx from receipts format TSV'
      const url = `http://127.0.0.1:${ports.clickhouse}/?database=farebox`
      const answer = await fetch(url, { method: 'POST', headers, body: query }).catch(() => undefined)
      return answer?.ok ? (await answer.text()).trim().split('\n') : []
    }
    await until(
      async () => new Set(paid).difference(new Set(await inStore())).size === 0,
      'every sale in the store',
      longMs,
    )
    expect((await inStore()).toSorted()).toEqual(paid.toSorted())
  })
})

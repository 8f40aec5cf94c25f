/** `npm run refund` beside a running sandbox: the price of a sale goes back to its payer, once, on both chains. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsIn } from '../../../pipelines/rails/log/events.ts'
import { readAlong } from '../../../pipelines/rails/log/open-log.ts'
import { canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { until } from '../../until.ts'
import { type RunningSandbox, runSandbox } from './running.ts'

let sandbox: RunningSandbox
beforeAll(async () => {
  sandbox = await runSandbox({}, [])
})
afterAll(() => sandbox?.stop())

const program = (path: string) => fileURLToPath(new URL(`../../../services/${path}`, import.meta.url))
async function run(path: string, ...args: string[]) {
  const logUrl = /sqlite:\S+/.exec(sandbox.said)?.[0] ?? ''
  const env = { ...sandbox.env, ...(path.startsWith('commands') && { LOG_URL: logUrl }) }
  return promisify(execFile)(process.execPath, [program(path), ...args], { env }).then(
    said => ({ ...said, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  )
}

const call = (network: string) =>
  run('sandbox/call.ts', '/fx', '{"from":"USD","to":"JPY"}', '--network', network)
const refund = (...args: string[]) => run('commands/refund.ts', ...args)

async function verified(settlement: unknown) {
  const answer = await fetch(`${sandbox.url}/receipts/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ settlement }),
  })
  return (await answer.json()) as { valid: boolean; receipt: Record<string, unknown> }
}

describe.each(['base', 'solana'])('a refund on %s', network => {
  it('pays once, though two order it at once, and its receipt is ours', async () => {
    const sold = await call(network)
    const id = /"request_id": "([^"]+)"/.exec(sold.stdout)?.[1] ?? ''
    expect(sold.stderr).toMatch(/after +999\.998 USDC/)

    const both = await Promise.all([refund(id, '--reason', 'late'), refund(id)])
    for (const { code, stderr } of both) {
      expect(stderr).toMatch(new RegExp(`paid 0\\.002 USDC on ${network} back to \\w+: \\w+`))
      expect(code).toBe(0)
    }
    const receipt = JSON.parse(both[0].stdout)
    expect(JSON.parse(both[1].stdout)).toEqual(receipt)
    const again = await refund(id)
    expect(again.stderr).toContain('it was paid back before')
    expect(JSON.parse(again.stdout)).toEqual(receipt)

    expect(await verified(receipt)).toMatchObject({ valid: true, receipt: { requestId: id, amount: '2000' } })
    expect(await verified(JSON.stringify(receipt))).toMatchObject({ valid: true })
    const forged = { ...receipt, payload: { ...receipt.payload, amount: '2000000' } }
    expect(await verified(forged)).toMatchObject({ valid: false })
    // The next sale begins where the first began: one price came back, not two.
    expect((await call(network)).stderr).toMatch(/before +1000 USDC[\s\S]*after +999\.998 USDC/)
  }, 60_000)
})

it('its canary buys on both networks from a process of its own, and the books tell its sales apart', async () => {
  const logUrl = /sqlite:(\S+)/.exec(sandbox.said)?.[1] ?? ''
  const ends: { network: string; state: string; payment_tx: string; failed_step: string | null }[] = []
  const reading = await readAlong(`sqlite:${logUrl}`, canaryPurchases.topic, batch => {
    for (const { event } of eventsIn(canaryPurchases, batch))
      if (event.state !== 'intended') ends.push(event as never)
  })
  await until(
    () => new Set(ends.map(({ network }) => network)).size === 2,
    'a purchase on each network',
    60_000,
  )
  await reading.close()
  expect(ends.map(({ state, failed_step }) => [state, failed_step])).toEqual(ends.map(() => ['good', null]))
  const store = /http:\/\/\S+:\d+(?=\/\?user=analyst)/.exec(sandbox.said)?.[0]
  const asked = async (sql: string) =>
    (await fetch(`${store}/?user=analyst`, { method: 'POST', body: sql })).text()
  const sold = async (where: string) => Number(await asked(`select count() from receipts where ${where}`))
  for (const { payment_tx } of ends)
    await until(
      async () => (await sold(`canary and payment_tx = '${payment_tx}'`)) === 1,
      'its sale is marked',
      30_000,
    )
  // The sales of the tests above.
  expect(await sold('not canary')).toBeGreaterThan(0)
  expect(await (await fetch(`${sandbox.url}/status`)).text()).toContain('The canary')
}, 100_000)

it('refuses a request that sold nothing, and what is no request', async () => {
  const key = `0x${'ab'.repeat(32)}`
  const misused = await refund(key)
  expect(misused).toMatchObject({ code: 2, stderr: expect.not.stringContaining(key) })
  expect((await refund(join('..', 'x'))).code).toBe(2)
})

it('shows a fact that its bank corrects: the buyer hears what it was and is, and the rule pays him back', async () => {
  const { code, stderr } = await run('sandbox/call.ts', 'correct')
  expect(code, stderr).toBe(0)
  const [, sold = ''] = /bought +1 USD is ([\d.]+) JPY/.exec(stderr) ?? []
  const [, was, is = ''] = /again +rate: sold as ([\d.]+), now ([\d.]+)/.exec(stderr) ?? []
  expect(was).toBe(sold)
  expect(Number(is)).toBeGreaterThan(Number(was))
  expect(stderr).toMatch(/why +The European Central Bank has published other rates of [\d-]+: JPY/)
  expect(stderr).toMatch(/refund +0\.002 USDC on base back to 0x\w+: 0x\w+/)
  // Who buys now gets the corrected one.
  const next = await call('base')
  expect(next.stdout).toContain(`"rate": ${is}`)
}, 100_000)

it('pays back by the command of the sandbox, too', async () => {
  const sold = await call('base')
  const id = /"request_id": "([^"]+)"/.exec(sold.stdout)?.[1] ?? ''
  const { code, stderr } = await run('sandbox/call.ts', 'refund', id)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/paid 0\.002 USDC on base back to/)])
}, 60_000)

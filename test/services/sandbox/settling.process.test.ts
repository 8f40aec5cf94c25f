/** `FACILITATOR_URL=self npm start`: the service settles by itself, in one process, on both chains. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningSandbox, runSandbox } from './running.ts'

let sandbox: RunningSandbox
beforeAll(async () => {
  sandbox = await runSandbox({ FACILITATOR_URL: 'self', SETTLE_TOKEN: 'a secret between us' })
})
afterAll(() => sandbox?.stop())

const program = fileURLToPath(new URL('../../../services/sandbox/call.ts', import.meta.url))
async function call(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], {
    env: sandbox.env,
  }).catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

it.each(['base', 'solana'])('sells on %s', async network => {
  const said = await call('/fx', '{"from":"USD","to":"JPY"}', '--network', network)
  expect(said).toMatch(new RegExp(`paid 0\\.002 USDC on ${network}: \\w+\\nafter +999\\.998 USDC`))
})

it('counts what it settled, and what its keys still hold', async () => {
  const page = await (await fetch(`${sandbox.url}/metrics`)).text()
  for (const network of ['base', 'solana']) {
    expect(page).toContain(`farebox_settle_transfers_total{network="${network}",outcome="moved"} 1`)
    expect(page).toMatch(
      new RegExp(`farebox_settle_key_sales\\{network="${network}",key="\\w+"\\} [\\d.e+]+`),
    )
  }
  expect(page).toMatch(/farebox_settle_fees_coins_total\{network="base",layer="own"\} 0\.0000/)
})

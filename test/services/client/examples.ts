/** The published examples, unchanged, against a running sandbox. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret, secretText, webhookHeaders } from '../../../pipelines/rails/outbox/signature.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { evmKey, type RunningSandbox } from '../sandbox/running.ts'

const run = promisify(execFile)
const examples = resolve('services/client/examples')
const python = process.env.PYTHON ?? 'python3'

const answered = (text: string) =>
  expect(JSON.parse(text)).toMatchObject({ to: 'JPY', receipt: { charged: true, network: 'base' } })

async function missing(program: string, ...args: string[]): Promise<string | undefined> {
  return run(program, args, { env: process.env }).then(
    () => undefined,
    (error: Error) => `${program} ${args.join(' ')}: ${error.message.split('\n')[1] ?? error.message}`,
  )
}

export const tryExamples = (sandbox: () => RunningSandbox) =>
  describe('the examples', () => {
    const environment = () => ({ ...process.env, FAREBOX_URL: sandbox().url, FAREBOX_KEY: evmKey })

    it.each(readdirSync(examples))('%s is shorter than 40 lines', name => {
      expect(readFileSync(join(examples, name), 'utf8').trimEnd().split('\n').length).toBeLessThan(40)
    })

    it('TypeScript, with x402’s own client', async () => {
      const { stdout } = await run(process.execPath, [join(examples, 'call.ts')], { env: environment() })
      answered(stdout)
    })

    it('curl, signed by hand', async () => {
      const { stdout } = await run('bash', [join(examples, 'call.sh')], { env: environment() })
      answered(stdout)
    })

    it('Python, with x402’s own client', async context => {
      const without = await missing(python, '-c', 'import httpx, x402.mechanisms.evm.exact')
      if (without) context.skip(without)
      const { stdout } = await run(python, [join(examples, 'call.py')], { env: environment() })
      answered(stdout)
    })

    it('MCP, with the Python client, free and paid', async context => {
      const without = await missing(python, '-c', 'from mcp import Client; import x402.mechanisms.evm.exact')
      if (without) context.skip(without)
      const { stdout } = await run(python, [join(examples, 'call-mcp.py')], { env: environment() })
      const [tools, free, paid] = stdout.trim().split('\n')
      expect(tools).toMatch(/^fx, .*, try_it_free$/)
      expect(JSON.parse(free ?? '')).toMatchObject({ charged: false, free_calls_left: 2, network: null })
      expect(JSON.parse(paid ?? '')).toMatchObject({
        charged: true,
        tool: 'companySnapshot',
        network: 'base',
      })
    })

    it('a receiver in Python accepts our signature, and nothing else', async context => {
      const without = await missing(python, '-c', 'import standardwebhooks')
      if (without) context.skip(without)
      const secret = newSecret()
      const env = { ...process.env, FAREBOX_SECRET: secretText(secret), PORT: '0' }
      const receiver = spawn(python, [join(examples, 'receive.py')], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void receiver.kill())
      let said = ''
      receiver.stdout.on('data', text => (said += text))
      await until(() => said.includes('listening'), 'the receiver')
      const url = `http://127.0.0.1:${/\d+/.exec(said)}`
      const body = JSON.stringify({ type: 'endpoint.down', data: { url: 'https://shop.example/ü' } })
      const sign = () => 'of the service'
      const headers = webhookHeaders({
        id: 'msg_1',
        at: Date.now(),
        body,
        secrets: [newSecret(), secret],
        sign,
      })
      const told = async (body: string, more = {}) =>
        (await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body })).status
      expect(await told(body)).toBe(204)
      expect(await told(body)).toBe(204)
      expect(await told(`${body} `)).toBe(400)
      expect(await told(body, { 'webhook-id': 'msg_2' })).toBe(400)
      expect(await told(body, { 'webhook-timestamp': '1' })).toBe(400)
      expect(
        said
          .trim()
          .split('\n')
          .slice(1)
          .map(line => JSON.parse(line)),
      ).toEqual([JSON.parse(body)])
    })

    // To compile its one dependency takes a minute of the processor on a machine that has not done it before.
    it('Go, signed by hand', async context => {
      if (!process.env.LONG_FORM) context.skip('LONG_FORM is unset')
      const project = scratchFolder()
      cpSync(join(examples, 'call.go'), join(project, 'call.go'))
      writeFileSync(join(project, 'go.mod'), 'module example\n\ngo 1.24\n')
      const go = (...args: string[]) =>
        run('go', args, { cwd: project, env: { ...environment(), GOFLAGS: '-mod=mod' } })
      const without =
        (await missing('go', 'version')) ??
        (await go('get', 'github.com/ethereum/go-ethereum').then(() => undefined, String))
      if (without) context.skip(without)
      answered((await go('run', 'call.go')).stdout)
    })
  })

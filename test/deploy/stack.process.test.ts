/** compose.yaml as its operator runs it: up, sold from, restarted, killed, taken down and brought up again. It takes minutes, and room. */
import { join } from 'node:path'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { lacking } from '../containers/docker.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { prepareStack, type Stack } from './stack/stack.ts'
import { openWorld, type World } from './stack/world.ts'

const isLong = process.env.LONG_FORM !== undefined
const missing = isLong ? await lacking() : 'LONG_FORM is unset'
const ports = { query: '31402-31403', clickhouse: 31123, prometheus: 31090, alertmanager: 31094 }
const roles = ['ingest', 'worker', 'query', 'render'] as const
const longMs = 300_000
/** Half a gigabyte of the log. */
const plantedSales = 400_000
/** For work whose amount is chosen here. */
const hoursMs = 7_200_000

type Answer = Record<string, unknown> & { receipt: { payment_tx: string; request_id: string } }

describe.skipIf(missing)(missing ? `the stack: ${missing}` : 'the stack', () => {
  const folder = scratchFolder(afterAll)
  let world: World
  let stack: Stack
  const stacks: Stack[] = []
  const sold: string[] = []
  let said = ''
  let pay: typeof fetch

  beforeAll(async () => {
    world = await openWorld()
    stack = await prepared('farebox-stack')
    const [base] = world.chains.filter(({ network }) => network === 'base')
    pay = wrapFetchWithPayment(fetch, await payingClient(base as NonNullable<typeof base>))
  }, 3_600_000)

  /** Two of them see the same backups. */
  async function prepared(name: string): Promise<Stack> {
    const made = await prepareStack({ name, folder: join(folder, 'stack'), world, ports })
    stacks.push(made)
    await made.remove()
    return made
  }

  afterAll(async () => {
    for (const each of stacks) await each.remove()
    await world?.close()
  }, longMs)

  /** Undefined while the answer is no paid one: a log or a seller that has just come back may not be there yet. */
  async function tried(path: string, question: object, seller = 0): Promise<Answer | undefined> {
    const answer = await pay(`${stack.sellers[seller]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    }).catch(() => undefined)
    said = answer ? `${answer.status} ${await answer.text()}` : 'no answer'
    if (answer?.status !== 200) return undefined
    const body = JSON.parse(said.slice('200 '.length)) as Answer
    sold.push(body.receipt.payment_tx)
    return body
  }
  async function buy(path: string, question: object, seller = 0): Promise<Answer> {
    let bought: Answer | undefined
    await until(
      async () => {
        bought = await tried(path, question, seller)
        return bought
      },
      `${path} to be sold`,
      longMs,
    ).catch(error => {
      throw new Error(`${(error as Error).message}: ${said}`)
    })
    return bought as Answer
  }

  /** Empty while the store does not answer. */
  const asAnalyst = async (body: string): Promise<string> => {
    const headers = { 'x-clickhouse-user': 'analyst', 'x-clickhouse-key': 'theirs' }
    const url = `http://127.0.0.1:${ports.clickhouse}/?database=farebox`
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    return answer?.ok ? (await answer.text()).trim() : ''
  }
  const inStore = async () =>
    (await asAnalyst('select payment_tx from receipts where at > now() - interval 1 day format TSV')).split(
      '\n',
    )
  const allStored = () =>
    until(
      async () => new Set(sold).difference(new Set(await inStore())).size === 0,
      'every sale in the store',
      longMs,
    )
  const areReady = () =>
    until(
      async () => {
        const answers = stack.sellers.map(url => fetch(`${url}/health/ready`).catch(() => undefined))
        return (await Promise.all(answers)).every(answer => answer?.ok)
      },
      'both sellers to be ready',
      longMs,
    )
  const areHealthy = () =>
    stack.compose('--profile', 'alerting', 'up', '--detach', '--wait', '--wait-timeout', '600')

  it('comes up, and every container is healthy', async () => {
    await areHealthy()
    const lines = (await stack.compose('ps', '--format', 'json')).split('\n').map(line => JSON.parse(line))
    const states = lines.map(({ Service, State, Health }) => [Service, State, Health])
    for (const role of [...roles, 'kafka', 'clickhouse', 'prometheus', 'alertmanager'])
      expect(states).toContainEqual([role, 'running', 'healthy'])
  })

  it('sells through each origin', async () => {
    await areReady()
    expect(await buy('/fx', { from: 'USD', to: 'JPY' })).toMatchObject({ rate: expect.any(Number) })
    expect(await buy('/chain/balance', { address: world.chains[0]?.payer, chain: 'base' })).toMatchObject({
      usdc: expect.anything(),
    })
    expect(await buy('/read', { url: 'http://page.sample/' })).toMatchObject({ title: 'Tide board' })
    expect(await buy('/extract', { url: 'http://page.sample/kettle' })).toMatchObject({ name: 'Kettle' })
    expect(await buy('/attest', { url: 'http://page.sample/', include: ['text'] })).toMatchObject({
      evidence: { text: expect.stringContaining('High water 6:42 and 18:42') },
    })
    const what = { what: 'airport', question: { airport: 'BOS' }, webhookUrl: 'http://hooks.sample/x402' }
    expect(await buy('/watch/subscribe', what)).toMatchObject({ subscription_id: expect.any(String) })
    await buy('/fx', { from: 'USD', to: 'CHF' }, 1)
    await allStored()
  })

  it('runs every role without root, without capabilities, on a disk that cannot be written', async () => {
    for (const role of roles) {
      const status = await stack.inside(role, 'cat', '/proc/self/status')
      expect([role, /^Uid:\s+1000\s/m.test(status), /^CapEff:\s+0+$/m.test(status)]).toEqual([
        role,
        true,
        true,
      ])
      expect([role, /^NoNewPrivs:\s+1$/m.test(status), /^Seccomp:\s+2$/m.test(status)]).toEqual([
        role,
        true,
        true,
      ])
      expect(await stack.inside(role, 'sh', '-c', 'echo x > /app/x')).toMatch(/Read-only file system/)
      for (const tool of ['npm', 'gcc', 'make'])
        expect(await stack.inside(role, 'sh', '-c', `command -v ${tool} || echo none`)).toBe('none')
    }
  })

  it('draws pages, and a page gets nowhere: no file, no service, no address of this machine or of its cloud', async () => {
    const told = (await buy('/attest', { url: 'http://page.sample/escape', include: ['text'] })) as {
      evidence?: { text: string }
    }
    expect(told.evidence?.text).toContain(
      'Allowed: fetch http://page.sample/dot, picture http://page.sample/dot. Forbidden: nothing.',
    )
    const came = () => stack.compose('logs', '--no-log-prefix', 'tripwire')
    expect(await came()).toBe('')
    // What the container itself could reach.
    await stack.inside('render', 'node', '-e', "fetch('http://inside.sample/by-the-container')")
    await until(async () => (await came()).includes('/by-the-container'), 'the tripwire to see the container')
    const lookup = (host: string) =>
      stack.inside(
        'render',
        'node',
        '-e',
        `require('dns').lookup('${host}', (e, a) => console.log(e?.code ?? a))`,
      )
    for (const host of ['clickhouse', 'settle'])
      expect([host, await lookup(host)]).toEqual([host, 'ENOTFOUND'])
    const secrets = await stack.inside('render', 'env')
    expect(secrets).not.toMatch(/STORE|SIGNER|ATTEST|WEIGH|PAY_TO|FACILITATOR/)
  })

  it.each([...roles, 'kafka', 'clickhouse'] as const)(
    'sells after a restart and after a kill of %s',
    async service => {
      await stack.compose('restart', '--timeout', '30', service)
      await areReady()
      await buy('/fx', { from: 'USD', to: 'JPY' })
      await stack.compose('kill', '--signal', 'KILL', service)
      await stack.compose('up', '--detach', '--no-deps', service)
      await areReady()
      await buy('/fx', { from: 'EUR', to: 'JPY' })
      await allStored()
    },
  )

  it('loses nothing when it is taken down and brought up again', async () => {
    await stack.compose('--profile', 'alerting', 'down')
    await areHealthy()
    await areReady()
    await allStored()
    await buy('/fx', { from: 'USD', to: 'JPY' })
    await allStored()
  })
  const operate = (...command: string[]) =>
    stack.compose('run', '--rm', '--no-deps', 'operations', 'node', ...command)
  /** What each disaster took. */
  const told: string[] = []
  const sizes = async () => {
    const log = await stack.inside('kafka', 'sh', '-c', 'du -sk /var/lib/kafka/data')
    const store = await asAnalyst(
      "select sum(bytes_on_disk) from system.parts where active and database like 'farebox%'",
    )
    return { log: (Number.parseInt(log, 10) * 1024) / 1e9, store: Number(store) / 1e9 }
  }
  const tell = (what: string, since: number, { log, store }: { log: number; store: number }) => {
    const minutes = (performance.now() - since) / 60_000
    const ofEach = `${(minutes / log).toFixed(1)} min for a GB of the log`
    told.push(
      `${what}: ${minutes.toFixed(1)} min, log ${log.toFixed(2)} GB, store ${store.toFixed(2)} GB: ${ofEach}`,
    )
  }
  const isCounted = () =>
    until(
      async () => Number(await asAnalyst('select count() from receipts')) >= plantedSales,
      `${plantedSales} sales in the store`,
      hoursMs,
    )
  /** After a disaster, Compose may give up on a container that is still busy: it is asked again until all are healthy. */
  const becomeHealthy = () =>
    until(
      () =>
        areHealthy().then(
          () => true,
          () => false,
        ),
      'every container to be healthy again',
      hoursMs,
    )
  const goesOn = async () => {
    await becomeHealthy()
    await areReady()
    await buy('/fx', { from: 'USD', to: 'JPY' })
    await allStored()
  }

  it('builds the store anew out of the log, where the store is lost, in minutes for a GB of the log', async () => {
    await stack.plant(plantedSales)
    await isCounted()
    await stack.compose('stop', 'worker')
    await stack.compose('rm', '--stop', '--force', 'clickhouse')
    await stack.lose('clickhouse')
    // The command of README.md.
    const reset = `cd /opt/kafka/bin && groups="./kafka-consumer-groups.sh --bootstrap-server localhost:9091"
      for group in $($groups --list | grep ^farebox.sink.); do
        $groups --group $group --all-topics --reset-offsets --to-earliest --execute
      done`
    expect(await stack.inside('kafka', 'sh', '-c', reset)).toContain('farebox.')
    const since = performance.now()
    await becomeHealthy()
    await isCounted()
    tell('the store, out of the log', since, await sizes())
    await goesOn()
  })

  it('sells on with a new log, where the log is lost: the store keeps what was sold', async () => {
    await allStored()
    const before = await sizes()
    await stack.compose('--profile', 'alerting', 'down')
    await stack.lose('kafka')
    const since = performance.now()
    await becomeHealthy()
    await areReady()
    await buy('/fx', { from: 'USD', to: 'JPY' })
    tell('a new log, until the first sale', since, before)
    await isCounted()
    await goesOn()
  })

  it('comes back out of a backup in a second stack, where log and store are lost', async () => {
    await stack.plant(plantedSales)
    await isCounted()
    const before = await sizes()
    let since = performance.now()
    await operate('services/commands/backup.ts', 'backup', '--to', '/backups/one')
    tell('a backup of both', since, before)
    await stack.compose('--profile', 'alerting', 'down')
    stack = await prepared('farebox-stack-second')
    await stack.compose('up', '--detach', '--wait', 'clickhouse')
    await stack.compose('run', '--rm', 'topics')
    since = performance.now()
    await operate('services/commands/backup.ts', 'restore', '--from', '/backups/one')
    tell('both, out of the backup', since, before)
    await goesOn()
    tell('and until it sold', since, before)
    await isCounted()
    console.log(told.join('\n'))
  })
})

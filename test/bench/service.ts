/** The production service as an operator starts it, in a process of its own, with rates in its log and every upstream silent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { datasets } from '../../schemas/index.ts'
import { berlin } from '../../schemas/tables/target-calendar.ts'
import { freePorts } from '../contracts/java.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { payTo } from './servers/serving.ts'

interface ServiceUsage {
  rssMb: number
  /** The processor time of all its threads. */
  cpuUs: number
  /** The processor time of the embedded store, which is a child. */
  engineUs: number
}

export interface Service {
  url: string
  usage(): ServiceUsage
  stop(): Promise<void>
}

const tickUs = 10_000

/** Linux alone tells what another process uses. */
export function cpuUsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickUs
}

const rssMbOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

async function layRates(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const log = await openLog(`sqlite:${dataDir}/log.db`, { topics: datasets.map(({ topic }) => topic) })
  const { day } = berlin(Date.now())
  const value = JSON.stringify({ day, rates: { USD: '1.1684', JPY: '186.75' } })
  await log.append(fxRates.topic, [{ key: day, value }])
  await log.close()
}

export async function startService(facilitatorUrl: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  await layRates(folder)
  const [port, http, tcp] = await freePorts(3)
  const child = spawn(process.execPath, ['services/main.ts'], {
    env: {
      ...process.env,
      ...silentUpstreams,
      LOG_LEVEL: 'error',
      DATA_DIR: folder,
      PORT: String(port),
      STORE_PORT: String(http),
      STORE_TCP_PORT: String(tcp),
      RATE_LIMIT: '1000000000',
      NETWORKS: 'base',
      PAY_TO_BASE: payTo,
      FACILITATOR_URL: facilitatorUrl,
      BASE_RPC_URL: `${facilitatorUrl}/chain`,
      SIGNER_KEY: `0x${'11'.repeat(32)}`,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  const pid = child.pid as number
  const isReady = () =>
    fetch(`${url}/fx`, { method: 'POST' }).then(
      ({ status }) => status === 402,
      () => false,
    )
  await until(isReady, 'the service to sell', 120_000)
  return {
    url,
    usage: () => ({
      rssMb: rssMbOf(pid),
      cpuUs: cpuUsOf(pid),
      engineUs: childrenOf(pid).reduce((sum, engine) => sum + cpuUsOf(engine), 0),
    }),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

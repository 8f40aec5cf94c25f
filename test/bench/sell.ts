/**
 * What a gateway costs: a paid call of a file's operation beside a paid answer from memory in the same process, and beside the same upstream
 * asked directly and through nginx, if there is one.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './child.ts'
import { load, percentile, postBytes } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'
import { path, question, tidePath } from './servers/serving.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const warmUps = 3
const count = 1_500
const connections = 8
const most = 1.3

interface Contestant {
  name: string
  url: string
  requests(): Buffer[]
  cpuUs(): Promise<number> | number
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

export async function sell(): Promise<void> {
  const [facilitator, upstream] = await Promise.all([start('facilitator'), start('upstream')])
  const farebox = await start('farebox', [facilitator.url, upstream.url])
  const nginx = await proxyTo(upstream.url)
  const tide = { path: tidePath, question: '{"station":"9414290"}' }
  const cpuUs = async () => (await farebox.usage()).cpuUs
  const paying = async (name: string, asked = { path, question }): Promise<Contestant> => {
    const { offer } = await quoteOf(farebox, asked)
    return { name, url: farebox.url, cpuUs, requests: () => paidCalls(offer, count, undefined, asked) }
  }
  const plain = new Array<Buffer>(count).fill(postBytes('/v2/9414290', tide.question))
  const direct = { url: upstream.url, cpuUs: async () => (await upstream.usage()).cpuUs }
  const contestants: Contestant[] = [
    await paying('Farebox, a paid answer from memory'),
    await paying('Farebox, a paid call of a file', tide),
    { name: 'the upstream alone, unpaid', ...direct, requests: () => plain },
    ...(nginx ? [{ name: 'nginx before it, unpaid', ...nginx, requests: () => plain }] : []),
  ]
  const seen = await measured(contestants)
  console.log(`\nA gateway call, ${connections} in flight\n`)
  console.log('| | p50 | p99 | processor a call |')
  console.log('| --- | ---: | ---: | ---: |')
  const of = (name: string, key: keyof Round) => median((seen.get(name) as Round[]).map(each => each[key]))
  for (const { name } of contestants)
    console.log(
      `| ${name} | ${of(name, 'p50Ms').toFixed(1)} ms | ${of(name, 'p99Ms').toFixed(1)} ms | ${Math.round(of(name, 'cpuUs'))} us |`,
    )
  const [held, gateway] = contestants.map(({ name }) => of(name, 'cpuUs'))
  console.log(
    `\nthe gateway takes ${((gateway ?? 0) / (held ?? 1)).toFixed(2)} x the processor of an answer from memory; at most ${most} is the goal. Medians of ${rounds} rounds.${nginx ? '' : ' There is no nginx here.'}`,
  )
  nginx?.stop()
  await Promise.all([facilitator, upstream, farebox].map(child => child.stop()))
}

interface Round {
  p50Ms: number
  p99Ms: number
  cpuUs: number
}

/** Rounds alternate, so a machine that slows down slows them all. */
async function measured(contestants: readonly Contestant[]): Promise<Map<string, Round[]>> {
  const seen = new Map(contestants.map(({ name }) => [name, [] as Round[]]))
  for (let round = 0; round < warmUps + rounds; round++)
    for (const { name, url, requests, cpuUs } of contestants) {
      const ready = requests()
      const before = await cpuUs()
      const { tookMs } = await load(url, ready, { connections, status: 200 })
      const spent = ((await cpuUs()) - before) / count
      const result = { p50Ms: percentile(tookMs, 50), p99Ms: percentile(tookMs, 99), cpuUs: spent }
      if (round >= warmUps) seen.get(name)?.push(result)
    }
  return seen
}

/** nginx with one worker, which keeps its connections, as one would put it before an API. Undefined: it is not installed. */
async function proxyTo(upstream: string) {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-nginx-'))
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000; ${temporary}
  upstream api { server ${new URL(upstream).host}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  )
  const child = spawn('nginx', ['-e', `${folder}/error.log`, '-c', file, '-p', folder], { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  const isHere = await new Promise<boolean>(resolve => {
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(false))
    const asking = setInterval(
      () =>
        fetch(url).then(
          () => {
            clearInterval(asking)
            resolve(true)
          },
          () => {},
        ),
      100,
    )
    child.once('error', () => clearInterval(asking))
    child.once('exit', () => clearInterval(asking))
  })
  if (!isHere) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  return {
    url,
    cpuUs: () => cpuOf(child.pid as number),
    stop() {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const tickUs = 10_000

/** User and system time of a process of Linux. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickUs
}

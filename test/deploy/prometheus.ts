/** A real Prometheus with the deployed configuration, which scrapes a target of the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { until } from '../until.ts'
import { deployed } from './queries.ts'

export const installed = (program: string, asked = ['--version']): boolean => {
  try {
    execFileSync(program, asked, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface Sample {
  metric: Record<string, string>
  value: [number, string]
}

export class Prometheus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'farebox-prometheus-'))
  #child: ChildProcess | undefined
  #address = ''

  /** The deployed configuration, but every job scrapes the test's targets instead of the containers, and more often. */
  async start(
    targets: string | Record<string, string[]>,
    { every = '1s', rules = (text: string) => text } = {},
  ): Promise<void> {
    const config = parse(deployed('prometheus.yaml'))
    config.global = { scrape_interval: every, scrape_timeout: every, evaluation_interval: every }
    config.scrape_configs = config.scrape_configs.map((job: { job_name: string }) => ({
      job_name: job.job_name,
      static_configs: [{ targets: typeof targets === 'string' ? [targets] : targets[job.job_name] }],
    }))
    writeFileSync(join(this.#folder, 'prometheus.yaml'), stringify(config))
    for (const file of config.rule_files) writeFileSync(join(this.#folder, file), rules(deployed(file)))
    delete config.alerting
    this.#address = `127.0.0.1:${await freePort()}`
    this.#child = spawn(
      'prometheus',
      [
        `--config.file=${join(this.#folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=${this.#address}`,
      ],
      { stdio: 'ignore' },
    )
    await until(() => this.#answers(), 'Prometheus to be ready')
  }

  async query(query: string): Promise<Sample[]> {
    const response = await fetch(`http://${this.#address}/api/v1/query?${new URLSearchParams({ query })}`)
    const { status, error, data } = (await response.json()) as {
      status: string
      error?: string
      data?: { result: Sample[] }
    }
    if (status !== 'success' || !data) throw new Error(`${error} in ${query}`)
    return data.result
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child && child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    if (this.#child?.exitCode !== null) throw new Error('Prometheus ended')
    try {
      return (await fetch(`http://${this.#address}/-/ready`)).ok
    } catch {
      return false
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

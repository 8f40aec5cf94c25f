import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const files = globSync('{schemas,pipelines,services}/**/*.ts')
const importLine = /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/gm

const edges = files.flatMap(file =>
  [...readFileSync(file, 'utf8').matchAll(importLine)].map(match => {
    const to = (match[1] ?? match[2]) as string
    return {
      file,
      to: to.startsWith('.') ? normalize(join(dirname(file), to)) : to,
      typeOnly: /^import type/.test(match[0]),
      lazy: match[2] !== undefined,
    }
  }),
)

/** 1 schemas <- 2 rails <- 3 movement <- 4 words of the sale <- 5 origins, till <- 6 door <- 7 composition; the sandbox stands outside. */
function tier(file: string): number {
  if (file.startsWith('schemas/')) return 1
  if (/^pipelines\/(log|store|blobs|chain|outside|public-fetch)\//.test(file)) return 2
  if (/^pipelines\/(failures|running|metrics|clock)\.ts$/.test(file)) return 2
  if (file.startsWith('pipelines/')) return 3
  if (/^services\/(answer|errors|operation|origin)\.ts$/.test(file)) return 4
  if (/^services\/(till|origins)\//.test(file)) return 5
  if (file.startsWith('services/query/')) return 6
  return 7
}

const isSandbox = (file: string) => file.startsWith('services/sandbox/')
const violations = (broken: (edge: (typeof edges)[number]) => boolean) =>
  edges.filter(broken).map(({ file, to }) => `${file} -> ${to}`)

describe('imports', () => {
  it('run one way', () => {
    expect(
      violations(({ file, to }) => /^(schemas|pipelines|services)\//.test(to) && tier(to) > tier(file)),
    ).toEqual([])
  })

  it('join no siblings: sources, lookups, operations, and the rails among themselves', () => {
    const room = (file: string): string | undefined =>
      file.match(/^pipelines\/(?:log|store|blobs|chain|public-fetch)(?=\/)/)?.[0] ??
      file.match(/^(pipelines\/(?:sources|lookups)|services\/origins\/[a-z]+)\/([a-z0-9-]+)(?=\/|\.ts)/)?.[0]
    const shared = /\/(source|lookup|runner|index|origin|geocoded)(\.ts)?$/
    expect(
      violations(({ file, to }) => {
        const [from, target] = [room(file), room(to)]
        const kin = from && target && dirname(from) === dirname(target)
        return Boolean(kin) && from !== target && !shared.test(from ?? '') && !shared.test(target ?? '')
      }),
    ).toEqual([])
  })

  it('name each outside package in its one home', () => {
    const homes: Record<string, RegExp> = {
      kafkajs: /^pipelines\/log\/kafka/,
      '@clickhouse/client': /^pipelines\/store\//,
      'ffi-rs': /^pipelines\/store\//,
      aws4fetch: /^pipelines\/blobs\/s3\.ts$/,
      'node:sqlite': /^pipelines\/log\//,
      fastify: /^services\/query\/http\.ts$/,
      '@x402/core': /^services\/till\//,
      secp256k1: /^services\/till\//,
      viem: /^pipelines\/chain\/evm\//,
      '@solana/web3.js': /^pipelines\/chain\/svm\//,
      'prom-client': /^pipelines\/metrics\.ts$/,
      'node-cron': /^pipelines\/clock\.ts$/,
      maxmind: /^pipelines\/lookups\/ip/,
      pino: /^services\/service\.ts$/,
    }
    expect(
      violations(({ file, to }) => {
        const name = Object.keys(homes).find(known => to === known || to.startsWith(`${known}/`))
        return name !== undefined && !isSandbox(file) && !homes[name]?.test(file)
      }),
    ).toEqual([])
  })

  it('leave the sandbox alone: nothing of the service knows it', () => {
    expect(violations(({ file, to }) => isSandbox(to) && !isSandbox(file))).toEqual([])
  })

  it('leave the domains to their origins: the door knows no one of them', () => {
    expect(
      violations(({ file, to }) => file.startsWith('services/query/') && to.startsWith('services/origins/')),
    ).toEqual([])
  })

  it('load a sample only where it is asked for: production has none', () => {
    const isSample = (file: string) => file.startsWith('pipelines/samples/')
    expect(violations(({ file, to, lazy }) => isSample(to) && !isSample(file) && !lazy)).toEqual([])
  })

  it('read the environment in one file', () => {
    const readers = files.filter(file => /process\.env/.test(readFileSync(file, 'utf8')))
    expect(readers).toEqual(['services/config.ts'])
  })

  it('keep schemas free of everything but zod', () => {
    expect(
      violations(({ file, to }) => file.startsWith('schemas/') && !to.startsWith('schemas/') && to !== 'zod'),
    ).toEqual([])
  })
})

describe('the tree', () => {
  it('holds at its top what it should', () => {
    const allowed =
      /^(package(-lock)?\.json|tsconfig\.json|services|pipelines|schemas|deploy|test|README\.md|LICENSE|biome\.json|vitest\.config\.ts|node_modules|data|\..*)$/
    expect(globSync('*').filter(name => !allowed.test(name))).toEqual([])
  })

  it('has no file without a noun', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|types|manager|handler|processor)(\.|-|\/|$)/
    expect(files.filter(file => vague.test(file))).toEqual([])
  })
})

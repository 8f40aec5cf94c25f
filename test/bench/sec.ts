/**
 * How fast the ingest reads EDGAR's archives, until the last row is in the store. It reads a synthetic pair on
 * loopback, with the format and the sizes of the real ones: 18 GB and 5 GB unpacked.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ArchiveWriter } from '../sec/archive-writer.ts'
import { cikName, companyFacts, submissions } from '../sec/company-facts.ts'

const megabyte = 2 ** 20
/** Most companies are small, and a few are banks. */
const sizes = [200, 500, 1000, 2000, 4000, 8000, 16_000, 25_000, 50_000]
const real = { facts: 18 * 1024, submissions: 5 * 1024, members: 950_000 }

interface Result {
  readMs: number
  storedMs: number
  rows: { facts: number; filings: number; companies: number; bytes: number }
  serviceMb: number
  engineMb: number
  cpuSeconds: { service: number; thread: number; engine: number }
  delayMs: { p50: number; p99: number }
}

export async function sec(): Promise<void> {
  const megabytes = Number(process.argv[3] ?? 256)
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  try {
    const facts = write(join(folder, 'companyfacts.zip'), (writer, cik) =>
      writer.unpacked < megabytes * megabyte
        ? [`${cikName(cik)}.json`, companyFacts(cik, sizes[cik % sizes.length] as number)]
        : undefined,
    )
    const filers = write(join(folder, 'submissions.zip'), (writer, cik) =>
      writer.unpacked < (megabytes / 4) * megabyte
        ? [`${cikName(cik)}.json`, submissions(cik, cik % 50 === 0 ? 1000 : 15)]
        : undefined,
    )
    const server = createServer(({ url = '' }, response) => {
      const file = join(folder, url.split('/').at(-1) ?? '')
      response.setHeader('content-length', statSync(file).size)
      createReadStream(file).pipe(response)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const result = await ingested(`http://127.0.0.1:${port}`, mkdtempSync(join(folder, 'data-')))
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    tell(facts, filers, result)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(
  file: string,
  member: (writer: ArchiveWriter, cik: number) => [string, Buffer] | undefined,
): { members: number; unpackedMb: number; packedMb: number } {
  const writer = new ArchiveWriter(file)
  let members = 0
  for (let next = member(writer, 1); next; next = member(writer, members + 1)) {
    writer.add(...next)
    members++
  }
  writer.close()
  return { members, unpackedMb: writer.unpacked / megabyte, packedMb: statSync(file).size / megabyte }
}

async function ingested(url: string, folder: string): Promise<Result> {
  const child = fork(fileURLToPath(new URL('./servers/sec-ingest.ts', import.meta.url)), [url, folder])
  const [result] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the ingest ended with ${code}`))),
  ])) as [Result]
  if (child.exitCode === null) await once(child, 'exit')
  return result
}

const shown = (value: number): string => Math.round(value).toLocaleString('en')

function tell(facts: ReturnType<typeof write>, filers: ReturnType<typeof write>, result: Result): void {
  const { readMs, storedMs, rows, serviceMb, engineMb, cpuSeconds, delayMs } = result
  const unpackedMb = facts.unpackedMb + filers.unpackedMb
  const mbPerSecond = unpackedMb / (storedMs / 1000)
  const total = rows.facts + rows.filings + rows.companies
  const realHours = (real.facts + real.submissions) / mbPerSecond / 3600
  console.log(
    `SEC archives, ${shown(unpackedMb)} MB unpacked (${shown(facts.packedMb + filers.packedMb)} MB packed)`,
  )
  console.log(
    `  facts ${shown(rows.facts)} of ${shown(facts.members)} companies, filings ${shown(rows.filings)} of ${shown(rows.companies)}`,
  )
  console.log(`  read in ${(readMs / 1000).toFixed(1)} s, stored in ${(storedMs / 1000).toFixed(1)} s`)
  console.log(`  ${mbPerSecond.toFixed(1)} MB/s unpacked, ${shown(total / (storedMs / 1000))} rows/s`)
  const { service, thread, engine } = cpuSeconds
  console.log(
    `  processor: ${(((service + engine) * 1e6) / total).toFixed(0)} us a row; service ${shown(service)} s, of it the main thread ${shown(thread)} s, and store ${shown(engine)} s`,
  )
  console.log(
    `  peak memory: service ${shown(serviceMb)} MB, store ${shown(engineMb)} MB; ${(rows.bytes / rows.facts).toFixed(1)} bytes a fact on disk`,
  )
  console.log(
    `  others in the process waited ${delayMs.p50.toFixed(1)} ms (p50), ${delayMs.p99.toFixed(1)} ms (p99)`,
  )
  console.log(`  the real archives (18 GB and 5 GB unpacked) at this rate: ${realHours.toFixed(1)} h`)
}

/**
 * A stand-in for www.ecb.europa.eu on loopback: bodies at the live paths, and validators and 304 as the live server
 * sends them.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { ecb } from '../../../pipelines/sources/ecb.ts'
import { type FxDay, fxRates } from '../../../schemas/fx-rates.ts'

const recorded = (file: string) => readFileSync(new URL(`../../recorded/ecb/${file}`, import.meta.url))

export const daily = 'eurofxref-daily.xml'
export const ninety = 'eurofxref-hist-90d.xml'
export const history = 'eurofxref-hist.zip'

export async function startEcb() {
  const files = new Map<string, Buffer | string>([daily, ninety, history].map(file => [file, recorded(file)]))
  const asked: string[] = []
  const server = createServer((request, response) => {
    const file = request.url?.replace('/stats/eurofxref/', '') ?? ''
    const body = files.get(file)
    const etag = `"${createHash('sha1')
      .update(body ?? '')
      .digest('hex')}"`
    const status = body === undefined ? 404 : request.headers['if-none-match'] === etag ? 304 : 200
    asked.push(`${status} ${file}`)
    response.writeHead(status, { etag }).end(status === 200 ? body : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    files,
    /** Status and file of each request since the last call. */
    asked: () => asked.splice(0),
    outside: (now: number): Outside =>
      createOutside({
        at: { ECB_URL: url },
        contact: 'test',
        now: () => now,
      })(new AbortController().signal),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

type Upstream = Awaited<ReturnType<typeof startEcb>>
type Cursor = Parameters<typeof ecb.pull>[0]

/** Runs one poll. Returns its days, oldest first, and the cursor, which goes through JSON as in the log. */
export async function poll(upstream: Upstream, now: string, cursor?: Cursor) {
  const days: FxDay[] = []
  const corrections: unknown[] = []
  let next = cursor
  for await (const page of ecb.pull(cursor, upstream.outside(Date.parse(now)), {})) {
    for (const { dataset, event } of page.events)
      if (dataset === fxRates) days.push(event as FxDay)
      else corrections.push(event)
    next = JSON.parse(JSON.stringify(page.cursor))
  }
  return { days: days.sort((a, b) => (a.day < b.day ? -1 : 1)), corrections, cursor: next }
}

/** Makes a body in the live form of the daily or the 90-day file. */
export const ecbXml = (...days: { day: string; rates: Record<string, string> }[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>${days
    .map(
      ({ day, rates }) =>
        `<Cube time='${day}'>${Object.entries(rates)
          .map(([currency, rate]) => `<Cube currency='${currency}' rate='${rate}'/>`)
          .join('')}</Cube>`,
    )
    .join('\n')}</Cube>
</gesmes:Envelope>`

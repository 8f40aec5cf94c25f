/** The examples of files that sell, with an upstream of this machine behind them, and a built-in room that has moved out of the tree. */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'

const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** What the APIs of the examples answer. */
function answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const path = url.split('?')[0] ?? ''
  if (path.endsWith('/draw')) response.setHeader('content-type', 'image/png').end(picture)
  else if (method === 'POST') response.end('{"legs":[],"miles":1}')
  else if (path.includes('/berths')) response.end('[{"name":"A1","depth":3.5}]')
  else response.end(JSON.stringify({ station: path.split('/').at(-1), high: '04:12', low: '10:31' }))
}

const origin = `import { defineOrigin } from 'farebox'
import { geocode } from './geocode/geocode.ts'
import { geocodeReverse } from './geocode/geocode-reverse.ts'

// Over MCP each call is paid.
const { trial: _, ...paid } = geocode

export default defineOrigin({
  name: 'moved',
  title: 'What has moved out',
  version: '1.0.0',
  address: 'MOVED_URL',
  operations: [
    { ...paid, id: 'movedAddress', path: '/moved/geocode' },
    { ...geocodeReverse, id: 'movedPoint', path: '/moved/reverse' },
  ],
  free: [],
  pages: [],
})
`

/** The files of the room as they are, at their places to each other. */
export function moveOut(folder: string): string {
  const room = resolve('services/origins/data')
  for (const name of ['geocoded.ts', 'geocode/geocode.ts', 'geocode/geocode-reverse.ts'])
    cpSync(join(room, name), join(folder, name))
  const file = join(folder, 'origin.ts')
  writeFileSync(file, origin)
  return file
}

/** `env` sells them all. */
export async function soldExamples(folder: string, more: readonly string[] = []) {
  const upstream = createServer(answer)
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  const here = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  cpSync(resolve('services/sell/examples'), folder, { recursive: true })
  const files = globSync('*.yaml', { cwd: folder }).map(name => join(folder, name))
  for (const file of files)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/https:\/\/[a-z.]+\.example(?=\/)/g, here))
  return {
    env: {
      SELL: [...files, moveOut(join(folder, 'moved')), ...more].join(','),
      ...{ TIDES_TOKEN: 'a-token-of-the-tides', HARBOUR_TOKEN: 'a-token-of-the-harbour' },
      CHARTS_KEY: 'a-key-of-the-charts',
    },
    async end() {
      upstream.closeAllConnections()
      await new Promise(done => upstream.close(done))
    },
  }
}

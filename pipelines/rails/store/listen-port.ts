/** Detects a taken port before the engine starts and fails on it. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { StoreError } from './store.ts'

/** Resolves with the port, or with a free one for 0. Rejects where another program listens. */
export async function listenPort(port: number, variable: string): Promise<number> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${code})`
    throw new StoreError(`${variable} is ${port}; that port ${why}: it should be a free port, or 0 for any`)
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : port
}

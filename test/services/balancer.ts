/** A small reverse proxy that sends calls only to sellers that say they are ready. It never sends a call twice. */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const lookMs = 200

export async function startBalancer(sellers: readonly string[]) {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set<string>()
  let next = 0
  const look = async (seller: string) => {
    const isReady = await fetch(`${seller}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) ready.add(seller)
    else ready.delete(seller)
  }
  const timer = setInterval(() => void sellers.map(look), lookMs)
  await Promise.all(sellers.map(look))

  const server = createServer((call, response) => {
    const seller = [...ready][next++ % Math.max(1, ready.size)]
    const broken = () => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
    }
    if (!seller) return broken()
    const { method, headers, url } = call
    const passed = request(`${seller}${url}`, { method, headers, agent }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', broken)
    call.pipe(passed)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (seller: string) => ready.has(seller),
    close: async () => {
      clearInterval(timer)
      agent.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

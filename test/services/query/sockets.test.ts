/** The sockets that listen at the port of the service. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { type App, openApp } from '../../../services/query/http.ts'
import { until } from '../../until.ts'

const host = '127.0.0.1'
const newApp = (): App => openApp({ now: Date.now, trustProxy: false, logger: pino({ level: 'silent' }) })
const opened = (app: App, port = 0) => app.sockets.open({ host, port }, options => app.listen(options))

function caller(port: number): Socket {
  const socket = connect(port, host).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

it.runIf(process.platform === 'linux')('let in many callers in few turns of a busy loop', async () => {
  const app = newApp()
  onTestFinished(() => app.close())
  let met = 0
  app.server.on('connection', () => met++)
  const port = await opened(app)
  const callers = Array.from({ length: 300 }, () => caller(port))
  let turns = 0
  // The kernel has all of them from the first turn on. One socket would let in one of them each turn.
  while (met < callers.length && turns < 1000) {
    await turn()
    turns++
  }
  expect(met).toBe(callers.length)
  expect(turns).toBeLessThan(callers.length / 2)
})

it('answers at each of them', async () => {
  const app = newApp()
  app.get('/here', async () => 'yes')
  onTestFinished(() => app.close())
  const port = await opened(app)
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = caller(port).setEncoding('utf8')
      socket.write('GET /here HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      let text = ''
      for await (const part of socket) text += part
      return text
    }),
  )
  for (const text of answers) expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*yes$/)
})

it('share the port with no other program, and with no other service', async () => {
  const other = createServer().listen(0, host)
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  await expect(opened(newApp(), (other.address() as AddressInfo).port)).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })

  const first = newApp()
  onTestFinished(() => first.close())
  const port = await opened(first)
  await expect(opened(newApp(), port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('let nobody in after a stop has begun, and the stop waits for the calls under way', async () => {
  const app = newApp()
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  let asked = 0
  app.get('/slow', () => {
    asked++
    return answer
  })
  const port = await opened(app)
  const texts = Array.from({ length: 20 }, async () => {
    const socket = caller(port).setEncoding('utf8')
    socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
    let text = ''
    for await (const part of socket) {
      text += part
      if (text.endsWith('late')) break
    }
    return text
  })
  await until(() => asked === texts.length, 'all calls')
  let isClosed = false
  const closing = app.close().then(() => {
    isClosed = true
  })
  await until(
    () =>
      new Promise<boolean>(resolve => {
        connect(port, host)
          .on('connect', function (this: Socket) {
            this.destroy()
            resolve(false)
          })
          .on('error', () => resolve(true))
      }),
    'a port that refuses',
  )
  expect(isClosed).toBe(false)
  resolve('late')
  for (const text of await Promise.all(texts)) expect(text).toMatch(/late$/)
  await closing
})

/** A keep-alive socket that sends any bytes, and reads the answer. */
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  headers: string
  body: string
}

const patienceMs = 45_000

export class RawClient {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** Undefined if the server did not answer, or closed a fresh connection without a word. */
  async send(bytes: Buffer, hasBody = true): Promise<Answer | undefined> {
    const used = this.#socket !== undefined
    const answer = await this.#send(bytes, hasBody)
    // The server may have closed a kept connection at that moment. Clients then send again on a new one.
    return answer === 'ended' ? (used ? this.send(bytes, hasBody) : undefined) : answer
  }

  #send(bytes: Buffer, hasBody: boolean): Promise<Answer | 'ended' | undefined> {
    const socket = this.#connected()
    return new Promise(resolve => {
      let heard = ''
      const end = (answer: Answer | 'ended' | undefined) => {
        clearTimeout(timer)
        socket.off('data', read).off('close', closed)
        if (typeof answer !== 'object' || /\r\nconnection: close/i.test(answer.headers)) this.close()
        resolve(answer)
      }
      const timer = setTimeout(() => end(undefined), patienceMs)
      const closed = () => end(answerIn(heard, hasBody, true) ?? 'ended')
      const read = (data: Buffer) => {
        heard += data.toString('latin1')
        const answer = answerIn(heard, hasBody, false)
        if (answer) end(answer)
      }
      socket.on('data', read).once('close', closed)
      socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #connected(): Socket {
    if (this.#socket && !this.#socket.destroyed && !this.#socket.readableEnded) return this.#socket
    // An answer counts even if the server hung up before it read the whole request.
    this.#socket = connect(this.#port, '127.0.0.1').on('error', () => {})
    return this.#socket
  }
}

function answerIn(heard: string, hasBody: boolean, ended: boolean): Answer | undefined {
  const end = heard.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const headers = heard.slice(0, end)
  const status = Number(headers.split(' ')[1])
  const length = hasBody ? Number(/\r\ncontent-length: (\d+)/i.exec(headers)?.[1] ?? 0) : 0
  const body = heard.slice(end + 4, end + 4 + length)
  if (status === 100) return answerIn(heard.slice(end + 4), hasBody, ended)
  return body.length < length && !ended
    ? undefined
    : { status, headers, body: Buffer.from(body, 'latin1').toString() }
}

/** A keep-alive socket that sends whatever bytes it is given, and reads what comes back. */
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

  /** undefined: the server let it hang, or ended a fresh connection and said nothing. */
  async send(bytes: Buffer, hasBody = true): Promise<Answer | undefined> {
    const used = this.#socket !== undefined
    const answer = await this.#send(bytes, hasBody)
    // A connection that was kept may have been ended just then; clients send again on another.
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
    // What the server has said counts, also when it hung up on the rest of the request.
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

/** The part of ClickHouse's native protocol that a break-out needs: it returns the first result of a statement. */
import { once } from 'node:events'
import { connect } from 'node:net'

/** So old that a query is little more than its text. */
const revision = 51_000
/** A block without columns and rows ends what a client sends. */
const noRows = [2, 0, 1, 0, 2, 255, 255, 255, 255, 0, 0, 0]
const packets = { hello: 0, data: 1, exception: 2, progress: 3, end: 5 }

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]
const text = (value: string): number[] => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)]

/** Runs the statements in one connection. Resolves with the error of the last one, or with `ok`. */
export async function nativeSession(address: string, user: string, statements: string[]): Promise<string> {
  const [host, port] = address.split(':')
  const socket = connect(Number(port), host)
  let received = Buffer.alloc(0)
  let at = 0
  const arrived = socket[Symbol.asyncIterator]()
  async function bytes(count: number): Promise<Buffer> {
    while (received.length < at + count) {
      const { value, done } = await arrived.next()
      if (done) throw new Error('the server closed the connection')
      received = Buffer.concat([received, value])
    }
    at += count
    return received.subarray(at - count, at)
  }
  async function number(): Promise<number> {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const [byte = 0] = await bytes(1)
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }
  const string = async () => (await bytes(await number())).toString()
  async function exception(): Promise<string> {
    await bytes(4)
    const [name, message] = [await string(), await string()]
    return `${name}: ${message}`
  }

  try {
    await once(socket, 'connect')
    const hello = [...varint(packets.hello), ...text('test'), ...[1, 1], ...varint(revision)]
    socket.write(Buffer.from([...hello, ...text('farebox'), ...text(user), ...text('')]))
    if ((await number()) === packets.exception) return exception()
    await string()
    for (let field = 0; field < 3; field++) await number()

    for (const statement of statements) {
      const isLast = statement === statements.at(-1)
      const query = [1, ...text(''), ...text(''), 2, 0, ...text(statement)]
      socket.write(Buffer.from([...query, ...noRows]))
      for (let packet = await number(); packet !== packets.end; packet = await number()) {
        if (packet === packets.exception) return exception()
        if (packet === packets.data) {
          if (isLast) return 'ok'
          throw new Error(`${statement} brings rows, and only the last statement may`)
        }
        if (packet !== packets.progress) throw new Error(`packet ${packet}`)
        for (let field = 0; field < 3; field++) await number()
      }
    }
    return 'ok'
  } finally {
    // The engine may abort if a client leaves in the middle of an answer, so this one reads it to its end.
    socket.end()
    while (!(await arrived.next()).done);
  }
}

/** A real DNS server on loopback, with A and AAAA records. */
import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { ipAddress, parseIpAddress } from '../../../../../schemas/values/ip-address.ts'

export interface DnsServer {
  /** Its address, in the form of `setServers`. */
  address: string
  /** Every question, such as `A shop.sample`. */
  asked: string[]
  close(): void
}

/** `answer` returns addresses of the requested family, or a DNS code. If it returns undefined, the server never answers. */
export type Answer = (name: string, type: 'A' | 'AAAA') => readonly string[] | number | undefined

export const nxdomain = 3
export const servfail = 2

export async function startDns(answer: Answer): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, end } = nameAt(query, 12)
    const type = query.readUInt16BE(end) === 1 ? 'A' : 'AAAA'
    asked.push(`${type} ${name}`)
    const answered = answer(name, type)
    if (answered === undefined) return
    const records = typeof answered === 'number' ? [] : answered.map(recordOf)
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 | (typeof answered === 'number' ? answered : 0), 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...records]), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, asked, close: () => socket.close() }
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = message[at]; length; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** Makes a record for the requested name, valid for a minute. It keeps a mapped address as it is, in an AAAA record. */
function recordOf(address: string): Buffer {
  const family = address.includes(':') ? 6 : 4
  const { value } = parseIpAddress(address) ?? ipAddress(4, 0n)
  const mapped =
    family === 6 && value <= 0xffffffffn && address.includes('.') ? value | 0xffff00000000n : value
  const data = Buffer.from(mapped.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex')
  const head = Buffer.from('c00c000100010000003c0000', 'hex')
  head.writeUInt16BE(family === 4 ? 1 : 28, 2)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

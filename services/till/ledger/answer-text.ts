/** Answers as they stand in the log: short ones as they are, long ones compressed. */
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'

const shrink = promisify(deflate)
const grow = promisify(inflate)
const worthwhileLength = 2048

export async function packed(text: string): Promise<string> {
  if (text.length < worthwhileLength) return text
  return `z${(await shrink(text)).toString('base64')}`
}

export async function unpacked(text: string): Promise<string> {
  return text.startsWith('z') ? (await grow(Buffer.from(text.slice(1), 'base64'))).toString() : text
}

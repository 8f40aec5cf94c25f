/** Packs a rendered page into one blob. */
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { Fresh } from './render.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export const packed = (page: Fresh): Promise<Buffer> => compress(serialize(page))

/** Rejects where another release has packed it, and this one cannot read it. */
export const unpacked = async (bytes: Buffer): Promise<Fresh> => deserialize(await decompress(bytes))

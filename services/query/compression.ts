/** Compresses large bodies for callers who accept it. The receipt and its hash cover the uncompressed text. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Bounded } from '../../pipelines/rails/bounded.ts'

const zip = promisify(gzip)
const pack = promisify(brotliCompress)
const worthwhileLength = 16 * 1024
/** A higher level saves one percent more on our largest answers and takes four times as long. */
const level = constants.Z_DEFAULT_COMPRESSION
/** A page is packed once for all who ask for it. The best level would take ten times as long, and save a tenth. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }

export const isLarge = (body: unknown): body is string | Buffer =>
  (typeof body === 'string' || Buffer.isBuffer(body)) && body.length >= worthwhileLength

/** `x-gzip` is an old name of gzip. A star is every form that has no weight of its own. */
export function takes(form: 'br' | 'gzip', accepted = ''): boolean {
  const weights = new Map(
    accepted.split(',').map(each => {
      const [name = '', ...parameters] = each.split(';').map(part => part.trim().toLowerCase())
      return [
        name === 'x-gzip' ? 'gzip' : name,
        parameters.find(part => part.startsWith('q='))?.slice(2) ?? '1',
      ]
    }),
  )
  return Number(weights.get(form) ?? weights.get('*') ?? '0') > 0
}

export async function compressed(
  body: unknown,
  accepted: string | string[] | undefined,
): Promise<Buffer | undefined> {
  if (!isLarge(body) || !takes('gzip', String(accepted ?? ''))) return undefined
  return zip(body, { level })
}

const mostPacked = 64
const mostPackedBytes = 16 * 1024 * 1024

interface Packed {
  encoding: 'br' | 'gzip'
  body: Buffer
}

/** Pages that many ask for, as they leave. `name` says which text it is. */
export class PackedPages {
  readonly #kept = new Bounded<Buffer>({
    most: mostPacked,
    mostWeight: mostPackedBytes,
    weigh: body => body.length,
  })

  async of(body: string | Buffer, name: string, accepted = ''): Promise<Packed | undefined> {
    const encoding = (['br', 'gzip'] as const).find(form => takes(form, accepted))
    if (!encoding || !isLarge(body)) return undefined
    const key = `${encoding} ${name}`
    const known = this.#kept.ask(key)
    if (known) return { encoding, body: known }
    const packed = await (encoding === 'br' ? pack(body, { params: quality }) : zip(body, { level }))
    this.#kept.set(key, packed)
    return { encoding, body: packed }
  }
}

/** The uses of one secret key of the service: it proves our messages, hides secrets and questions, and signs events. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { NotConfigured } from '../../rails/failures.ts'

interface Keys {
  mac: Buffer
  secrets: Buffer
  signing: KeyObject
  publicKey: string
}

/** The DER of an ed25519 key, before its seed. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const ivBytes = 12
const tagBytes = 16

/** The key for this sealed text was removed from WEIGH_KEY too early. */
export class KeyGone extends NotConfigured {
  override name = 'KeyGone'

  constructor(what: string) {
    super(`The key that sealed ${what} is not in WEIGH_KEY any more`)
  }
}

export class Seal {
  readonly #keys: readonly Keys[]

  /** 0x and 64 hex digits each. The first key writes and signs; the others can still read. */
  constructor(keys: readonly [string, ...string[]]) {
    this.#keys = keys.map(derived)
  }

  /**
   * `whpk_` and the key in base64, as Standard Webhooks writes it. The first key signs now; the others have signed
   * earlier.
   */
  get publicKeys(): string[] {
    return this.#keys.map(({ publicKey }) => publicKey)
  }

  mac(text: string): string {
    return macOf(this.#first, text)
  }

  isOurs(text: string, mac: string): boolean {
    const given = Buffer.from(mac)
    return this.#keys.some(keys => {
      const own = Buffer.from(macOf(keys, text))
      return own.length === given.length && timingSafeEqual(own, given)
    })
  }

  /** Encrypts. Decryption needs the same `of`, so the secret of one row is useless in another. */
  hide(secret: Buffer | string, of: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#first.secrets, iv).setAAD(Buffer.from(of))
    const text = Buffer.concat([cipher.update(Buffer.from(secret)), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')
  }

  /** `what` names it in the error. */
  open(hidden: string, of: string, what: string): Buffer {
    const opened = this.opened(hidden, of)
    if (opened) return opened
    throw new KeyGone(what)
  }

  /** Undefined if no key opens it. */
  opened(hidden: string, of: string): Buffer | undefined {
    const bytes = Buffer.from(hidden, 'base64')
    const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)]
    for (const { secrets } of this.#keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', secrets, iv).setAAD(Buffer.from(of)).setAuthTag(tag)
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
      } catch {
        // It was encrypted under another key.
      }
    }
    return undefined
  }

  /** ed25519, in base64. */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#first.signing).toString('base64')
  }

  get #first(): Keys {
    return this.#keys[0] as Keys
  }
}

const macOf = ({ mac }: Keys, text: string): string => createHmac('sha256', mac).update(text).digest('hex')

function derived(key: string): Keys {
  const part = (name: string) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(key.slice(2), 'hex'), '', `farebox ${name}`, 32))
  const signing = createPrivateKey({
    key: Buffer.concat([pkcs8, part('webhooks')]),
    format: 'der',
    type: 'pkcs8',
  })
  const raw = createPublicKey(signing).export({ format: 'der', type: 'spki' }).subarray(-32)
  return {
    mac: part('messages'),
    secrets: part('secrets'),
    signing,
    publicKey: `whpk_${raw.toString('base64')}`,
  }
}

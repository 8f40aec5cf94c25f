import { hash } from 'node:crypto'

/** In hex. */
export const sha256 = (content: string | Uint8Array): string => hash('sha256', content)

/**
 * The hash of a text behind a secret of fixed length. Whoever lacks the secret finds no text by trying. It is no signature: an HMAC
 * would stop others from adding to the text, and takes several times as long.
 */
export const sha256Behind = (secret: string, text: string): string => sha256(secret + text)

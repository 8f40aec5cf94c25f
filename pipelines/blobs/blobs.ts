/** Blobs: what is too large for a log record, kept once under the hash of its bytes. */

export interface Blobs {
  /**
   * Resolves with the name of the blob only when the bytes would survive a power cut. They stay for `keepMs` at
   * least.
   */
  put(bytes: Uint8Array, keepMs: number): Promise<string>
  /** Rejects with BlobLost where the bytes are gone or damaged, and with another error where the store cannot tell. */
  get(name: string): Promise<Buffer>
  /** Lets the writes in hand finish. */
  close(): Promise<void>
}

export interface BlobsOptions {
  now?: () => number
  /** How often expired blobs are looked for. */
  sweepMs?: number
  /** Hears what the store survives: a sweep that failed, an S3 server that is away at start. */
  onError?: (error: unknown) => void
}

/** No later try will find these bytes. */
export class BlobLost extends Error {
  override name = 'BlobLost'
}

/** The store cannot take or give a blob now. The message names the store and never its secret. */
export class BlobsAway extends Error {
  override name = 'BlobsAway'
}

/** Blobs are data that is too large for a log record. Each is kept once, under the hash of its bytes. */

export interface Blobs {
  /** Resolves with the name when the bytes would survive a power cut. They stay for at least `keepMs`. */
  put(bytes: Uint8Array, keepMs: number): Promise<string>
  /** Rejects with BlobLost where the bytes are gone or damaged, and with another error where the store cannot tell. */
  get(name: string): Promise<Buffer>
  /** Finishes the writes in progress. */
  close(): Promise<void>
}

export interface BlobsOptions {
  now?: () => number
  /** The key may only put. Other processes read, and remove expired blobs. */
  onlyPuts?: boolean
  /** The pause between two searches for expired blobs. */
  sweepMs?: number
  /** Is called with failures that the store survives: a failed sweep, an S3 server that is down at the start. */
  onError?: (error: unknown) => void
}

/** No later try will find these bytes. */
export class BlobLost extends Error {
  override name = 'BlobLost'
}

/** The store cannot write or read a blob now. The message names the store, but never its secret. */
export class BlobsAway extends Error {
  override name = 'BlobsAway'
}

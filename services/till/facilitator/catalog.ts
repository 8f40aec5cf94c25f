/**
 * What the catalogs of facilitators say of our listings, in the header EXTENSION-RESPONSES of their replies. Callers never see it; a
 * listing that is refused in silence brings no callers.
 */
import { metrics } from '../../../pipelines/rails/metrics.ts'

export interface Listing {
  facilitator: string
  operation: string
  status: (typeof statuses)[number]
  /** Why it was refused, in the facilitator's words. Empty if it does not say. */
  reason: string
}

const statuses = ['success', 'processing', 'rejected', 'other'] as const
const longestHeader = 4096
const longestReason = 200

export class Catalog {
  readonly #onRejected: (error: Error) => void
  /** By facilitator and operation. */
  readonly #listings = new Map<string, Listing>()

  constructor(onRejected: (error: Error) => void) {
    this.#onRejected = onRejected
  }

  /** The newest word about each listing. */
  get listings(): readonly Listing[] {
    return [...this.#listings.values()]
  }

  hear(facilitator: string, operation: string, header: string | undefined): void {
    const said = header === undefined ? undefined : readListing(header)
    if (!said) return
    const { status, reason } = said
    metrics.facilitatorListings.inc({ facilitator, operation, status })
    const key = `${facilitator} ${operation}`
    const before = this.#listings.get(key)
    this.#listings.set(key, { facilitator, operation, status, reason })
    if (status !== 'rejected' || (before?.status === status && before.reason === reason)) return
    this.#onRejected(
      new Error(`the catalog of ${facilitator} refuses ${operation}: ${reason || 'no reason'}`),
    )
  }
}

/** Reads what it says of the Bazaar. Undefined if that is nothing. */
function readListing(header: string): Pick<Listing, 'status' | 'reason'> | undefined {
  if (header.length > longestHeader) return undefined
  try {
    const { bazaar } = JSON.parse(Buffer.from(header, 'base64').toString())
    if (typeof bazaar !== 'object' || bazaar === null) return undefined
    const status = statuses.find(each => each === bazaar.status) ?? 'other'
    return { status, reason: plain(bazaar.rejectedReason ?? bazaar.reason) }
  } catch {
    // A facilitator wrote it. What nobody can read says nothing.
    return undefined
  }
}

const plain = (reason: unknown): string =>
  typeof reason === 'string' ? reason.slice(0, longestReason).replace(/[^ -~]+/g, ' ') : ''

/** The waiting events, in a line for each subscription: one at a time, and in order. */
import type { WebhookDue } from '../../../schemas/webhooks.ts'

/** After this number of attempts, later events overtake an event. */
const overtakenAfter = 3

interface Line {
  /** Sorted by place in the log. */
  waiting: WebhookDue[]
  isBusy: boolean
}

export class DeliveryLines {
  readonly #lines = new Map<string, Line>()
  readonly #known = new Set<string>()

  get size(): number {
    return this.#known.size
  }

  has(dueId: string): boolean {
    return this.#known.has(dueId)
  }

  put(due: WebhookDue): void {
    const id = due.event.subscription_id
    const line = this.#lines.get(id) ?? { waiting: [], isBusy: false }
    this.#lines.set(id, line)
    const others = line.waiting.filter(({ due_id }) => due_id !== due.due_id)
    const before = others.findLastIndex(({ place }) => BigInt(place) <= BigInt(due.place))
    line.waiting = others.toSpliced(before + 1, 0, due)
    this.#known.add(due.due_id)
  }

  drop({ due_id, event }: Pick<WebhookDue, 'due_id' | 'event'>): void {
    const line = this.#lines.get(event.subscription_id)
    this.#known.delete(due_id)
    if (!line) return
    line.waiting = line.waiting.filter(due => due.due_id !== due_id)
    if (!line.waiting.length && !line.isBusy) this.#lines.delete(event.subscription_id)
  }

  /** Takes the events to send now. Their lines rest until `done`. */
  take(now: number, most: number): WebhookDue[] {
    const taken: WebhookDue[] = []
    for (const line of this.#lines.values()) {
      if (taken.length >= most) break
      const next = line.isBusy ? undefined : nextOf(line, now)
      if (!next) continue
      line.isBusy = true
      taken.push(next)
    }
    return taken
  }

  done({ event }: Pick<WebhookDue, 'event'>): void {
    const line = this.#lines.get(event.subscription_id)
    if (!line) return
    line.isBusy = false
    if (!line.waiting.length) this.#lines.delete(event.subscription_id)
  }

  of(subscriptionId: string): readonly WebhookDue[] {
    return this.#lines.get(subscriptionId)?.waiting ?? []
  }

  /** The time of the earliest attempt that is due, in ms. */
  firstAt(): number | undefined {
    let first: number | undefined
    for (const { waiting } of this.#lines.values())
      for (const { next_at } of waiting)
        first = Math.min(first ?? Number.POSITIVE_INFINITY, Date.parse(next_at))
    return first
  }
}

function nextOf({ waiting }: Line, now: number): WebhookDue | undefined {
  for (const due of waiting) {
    if (Date.parse(due.next_at) <= now) return due
    if (due.attempts < overtakenAfter) return undefined
  }
  return undefined
}

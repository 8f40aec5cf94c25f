/**
 * The waiting events. Each has its own schedule, so a failed one delays no other; a subscription gets one at a time. News goes
 * first, then what failed before, then what its subscriber wants again.
 */
import type { WebhookDue } from '../../../schemas/webhooks.ts'

interface Line {
  /** Sorted by rank, then by place in the log. */
  waiting: WebhookDue[]
  isBusy: boolean
}

const rankOf = ({ event, attempts }: WebhookDue): number => (event.replay ? 2 : attempts ? 1 : 0)

const isBefore = (one: WebhookDue, other: WebhookDue): boolean => {
  const [a, b] = [rankOf(one), rankOf(other)]
  return a === b ? BigInt(one.place) <= BigInt(other.place) : a < b
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
    const before = others.findLastIndex(other => isBefore(other, due))
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
      const next = line.isBusy ? undefined : line.waiting.find(({ next_at }) => Date.parse(next_at) <= now)
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

  /** The attempt that is still to come for this event, whether it is a replay or not. */
  waitingFor({ subscription_id, event_id }: WebhookDue['event']): WebhookDue | undefined {
    return this.of(subscription_id).find(({ event }) => event.event_id === event_id)
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

/** Reports the progress of a long run, in one line every few seconds. */
const everyMs = 10_000
const megabyte = 2 ** 20

export class ArchiveProgress {
  readonly #name: string
  readonly #now: () => number
  readonly #tell: (line: string) => void
  readonly #startedAt: number
  /** A run that continues an earlier one computes its rate from its own work only. */
  #first: number | undefined
  #toldAt: number

  constructor(name: string, now: () => number, tell: (line: string) => void) {
    this.#name = name
    this.#now = now
    this.#tell = tell
    this.#startedAt = now()
    this.#toldAt = this.#startedAt
  }

  at(bytes: number, of: number | undefined, more = ''): void {
    this.#first ??= bytes
    const now = this.#now()
    if (now - this.#toldAt < everyMs) return
    this.#toldAt = now
    this.#tell(this.#line(bytes, of, more))
  }

  done(bytes: number, more = ''): void {
    this.#first ??= bytes
    this.#tell(`${this.#line(bytes, bytes, more)}: done`)
  }

  #line(bytes: number, of: number | undefined, more: string): string {
    const seconds = Math.max(0.001, (this.#now() - this.#startedAt) / 1000)
    const rate = (bytes - (this.#first ?? 0)) / seconds
    const left = of === undefined || rate <= 0 ? '' : `, ${duration((of - bytes) / rate)} left`
    const whole = of === undefined ? '' : ` of ${megabytes(of)}`
    return `${this.#name}: ${more}${megabytes(bytes)}${whole} MB, ${megabytes(rate)} MB/s${left}`
  }
}

const megabytes = (bytes: number): string => (bytes / megabyte).toFixed(bytes < 10 * megabyte ? 1 : 0)

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 1
    ? `${Math.round(seconds)} s`
    : minutes < 90
      ? `${minutes} min`
      : `${(minutes / 60).toFixed(1)} h`
}

/**
 * In how many ways a pattern of a file may try a text before it gives up. A payer chooses the text, and nothing stops a regular
 * expression that has begun, so a pattern with too many ways is refused before it is ever used.
 */

const counted = /^\{(\d{1,6})(?:(,)(\d{0,6}))?\}/

/** At most this many ways, for a text of `length` characters. A text says why the pattern cannot be read. */
export function costOf(pattern: string, length: number): number | string {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    return `it is no regular expression: ${(error as Error).message.split(': ').at(-1)}`
  }
  if (/\\[1-9]|\\k/.test(pattern)) return 'it should not refer back to what it has found'
  if (/\{\d{7}|,\d{7}/.test(pattern)) return 'it should repeat nothing a million times'
  const reading = new Reading(pattern, length)
  const cost = reading.choice()
  // Without a mark of the beginning, it begins anew at each character.
  return pattern.startsWith('^') && !reading.hasChoiceAtTop ? cost : cost * length
}

/** Whether the whole text has to fit the pattern, and not only a part of it. For one that JavaScript has accepted. */
export function bindsAll(pattern: string): boolean {
  const reading = new Reading(pattern, 1)
  reading.choice()
  return pattern.startsWith('^') && reading.lastAtTop === '$' && !reading.hasChoiceAtTop
}

/** For a pattern that JavaScript has accepted. */
class Reading {
  hasChoiceAtTop = false
  /** The letter that its last piece begins with. */
  lastAtTop: string | undefined
  readonly #pattern: string
  readonly #length: number
  #at = 0
  #depth = 0

  constructor(pattern: string, length: number) {
    this.#pattern = pattern
    this.#length = length
  }

  choice(): number {
    let cost = this.#sequence()
    while (this.#pattern[this.#at] === '|') {
      if (this.#depth === 0) this.hasChoiceAtTop = true
      this.#at++
      cost += this.#sequence()
    }
    return cost
  }

  #sequence(): number {
    let cost = 1
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] as string))
      cost *= this.#repeated(this.#piece())
    return cost
  }

  #piece(): number {
    const letter = this.#pattern[this.#at++]
    if (this.#depth === 0) this.lastAtTop = letter
    if (letter === '\\') this.#escape()
    if (letter === '[') this.#set()
    if (letter !== '(') return 1
    this.#at += /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#pattern.slice(this.#at))?.[0].length ?? 0
    this.#depth++
    const cost = this.choice()
    this.#depth--
    this.#at++
    return cost
  }

  #escape(): void {
    const long = /^(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z])/.exec(
      this.#pattern.slice(this.#at),
    )
    this.#at += long?.[0].length ?? 1
  }

  #set(): void {
    while (this.#pattern[this.#at] !== ']') this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1
    this.#at++
  }

  #repeated(cost: number): number {
    const [least, most] = this.#times()
    if (this.#pattern[this.#at] === '?' && least !== most) this.#at++
    return (most - least + 1) * cost ** most
  }

  #times(): [least: number, most: number] {
    const letter = this.#pattern[this.#at]
    const simple = { '*': [0, this.#length], '+': [1, this.#length], '?': [0, 1] } as const
    if (letter !== undefined && letter in simple) {
      this.#at++
      return [...simple[letter as keyof typeof simple]]
    }
    const found = counted.exec(this.#pattern.slice(this.#at))
    if (!found) return [1, 1]
    const [whole, least, comma, most] = found
    this.#at += whole.length
    if (!comma) return [Number(least), Number(least)]
    return [Number(least), most ? Math.min(Number(most), this.#length) : this.#length]
  }
}

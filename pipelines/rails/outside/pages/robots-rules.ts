/**
 * The rules of a robots.txt for one agent, by RFC 9309. It reads any file in linear time and in small pieces, and
 * keeps only the rules of that agent.
 */
import { setImmediate as turn } from 'node:timers/promises'

interface Rule {
  allow: boolean
  /** In its normal form: `*` is any text, and `$` at the end is the end of the path. */
  pattern: string
}

export interface Rules {
  list: readonly Rule[]
  /** The approximate memory of the list. */
  bytes: number
  /** The site has more rules for us than we keep. */
  isTooMany: boolean
  /** The file has a group for this agent. */
  isNamed: boolean
  /** The pause that it asks for between two visits, in seconds. */
  delaySeconds: number
}

export const noRules: Rules = { list: [], bytes: 0, isTooMany: false, isNamed: false, delaySeconds: 0 }

/** After this many bytes, or this many comparisons, other work has its turn. */
const piece = 16 << 10
const mostCompared = 4 << 20
/** The rest of a longer line is ignored. */
const mostOfLine = 4_096
/** The limit for one file. */
export const mostBytes = 64 << 10
const bytesOfRule = 64

/** Groups of the same name are one group (2.2.1). A line of another kind ends no group (2.2.4). */
export async function readRules(file: Buffer, agent: string): Promise<Rules> {
  const list: Rule[] = []
  const bound = { bytes: 0, isTooMany: false, isNamed: false, delaySeconds: 0 }
  let isOurs = false
  let isNaming = false

  function take(line: string): void {
    const colon = line.indexOf(':')
    if (colon < 0) return
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = valueIn(line.slice(colon + 1))
    if (name === 'user-agent') {
      isOurs = (isNaming && isOurs) || tokenOf(value) === agent.toLowerCase()
      isNaming = true
      bound.isNamed ||= isOurs
    } else if (name === 'crawl-delay' && isOurs) {
      const seconds = Number(value)
      if (seconds > bound.delaySeconds) bound.delaySeconds = seconds
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false
      if (isOurs && value !== '') keep({ allow: name === 'allow', pattern: normalPattern(value) })
    }
  }
  function keep(rule: Rule): void {
    const bytes = rule.pattern.length + bytesOfRule
    if (bound.bytes + bytes > mostBytes) bound.isTooMany = true
    else {
      bound.bytes += bytes
      list.push(rule)
    }
  }

  let from = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf ? 3 : 0
  for (let at = from, rest = at + piece; at <= file.length && !bound.isTooMany; at++) {
    if (at === rest) {
      await turn()
      rest += piece
    }
    if (at < file.length && file[at] !== 10 && file[at] !== 13) continue
    // A string of its own, because a part of a string keeps the whole in memory.
    if (at > from) take(file.toString('utf8', from, Math.min(at, from + mostOfLine)))
    from = at + 1
  }
  return { list, ...bound }
}

/** The rules for an agent that nobody has sent: those for its name, or else those for all (2.2.1). */
export async function crawlRules(file: Buffer, agent: string): Promise<Rules> {
  const own = await readRules(file, agent)
  return own.isNamed ? own : readRules(file, '*')
}

/** The longest rule decides, and between equal ones the one that allows (2.2.2). `path` is the path of a URL. */
export async function allows({ list, isTooMany }: Rules, path: string): Promise<boolean> {
  if (isTooMany) return false
  const normal = encoded(path).replaceAll('*', '%2A').replaceAll('$', '%24')
  let best: Rule | undefined
  let compared = 0
  for (const rule of list) {
    compared += rule.pattern.length * normal.length
    if (compared > mostCompared) {
      await turn()
      compared = 0
    }
    const longer = rule.pattern.length - (best?.pattern.length ?? -1)
    if ((longer > 0 || (longer === 0 && rule.allow)) && fits(rule.pattern, normal)) best = rule
  }
  return best?.allow ?? true
}

/** For each part the first match is the best one, so nothing is tried twice. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...later] = parts
  if (!path.startsWith(first)) return false
  const last = later.pop()
  if (last === undefined) return !isWhole || path.length === first.length
  let at = first.length
  for (const part of later) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) >= 0
}

const valueIn = (text: string): string => {
  const comment = text.indexOf('#')
  return (comment < 0 ? text : text.slice(0, comment)).trim()
}

/** `Farebox/1.0` names Farebox, but `Farebox-News` names another agent. A star names all. */
const tokenOf = (text: string): string => /^(?:\*|[a-z_-]*)/i.exec(text)?.[0].toLowerCase() ?? ''

const normalPattern = (text: string): string => {
  const isWhole = text.endsWith('$')
  const bare = encoded(isWhole ? text.slice(0, -1) : text).replaceAll('$', '%24')
  return isWhole ? `${bare}$` : bare
}

/** Removes percent signs that a character does not need, and adds the others (2.2.2). */
const encoded = (text: string): string =>
  encodeURI(text.toWellFormed())
    .replaceAll('%25', '%')
    .replace(/%[0-9a-f]{2}/gi, hex => {
      const letter = String.fromCharCode(Number.parseInt(hex.slice(1), 16))
      return /[\w.~-]/.test(letter) ? letter : hex.toUpperCase()
    })

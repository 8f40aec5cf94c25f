/** Answers from euro reference rates as they were sold: without the days and the corrections that came later. */
import { type FxCorrection, fxCorrected } from '../../../../schemas/fx-corrections.ts'
import { type FxDay, fxDaily } from '../../../../schemas/fx-rates.ts'
import { berlin } from '../../../../schemas/tables/target-calendar.ts'
import type { Held, Operation, Tools } from '../../../offer/operation.ts'
import { refuseFor } from '../../../offer/operation.ts'
import type { Version, Versions } from '../../../offer/versions.ts'

/** An answer is kept for seven days, and its receipt is signed anew with each replay. */
const mostDays = 6
/** An instance may hear of a correction a moment late, and a replay is older than its receipt. */
const mostCorrectionsBack = 2

export const versionsOfRates = (operation: Operation): Versions =>
  async function* (question, tools, issuedMs): AsyncGenerator<Version> {
    const newest = [...tools.view(fxDaily, { date: '1999-01-04' }).rows()]
    const corrections = [...tools.view(fxCorrected, undefined).rows()].sort((a, b) => (a.at < b.at ? -1 : 1))
    const soldOn = berlin(issuedMs).day
    const days = newest.map(({ day }) => day).filter(day => day <= soldOn)
    const known = corrections.filter(({ at }) => Date.parse(at) <= issuedMs).length
    const ask = (rows: readonly FxDay[]) => {
      const held = heldDays(rows)
      const view = ((asked: unknown, about: never) =>
        asked === fxDaily ? held : tools.view(asked as never, about)) as Tools['view']
      return operation.answer(question, { ...tools, now: () => issuedMs, view }, refuseFor(operation))
    }
    for (const through of days.sort().slice(-mostDays).reverse()) {
      const rows = newest.filter(({ day }) => day <= through)
      for (const cut of cutsAround(known, corrections.length)) {
        const later = corrections.slice(cut)
        const sold = await answered(() => ask(rows.map(row => asOf(row, later))))
        if (sold === undefined) continue
        yield {
          sold,
          now: async () => {
            const text = JSON.stringify(sold)
            const own = later.filter(({ day, rates, was }) => text.includes(day) && differ(rates, was))
            return { now: await ask(rows), why: own.map(whyOf) }
          },
        }
      }
    }
  }

function cutsAround(known: number, all: number): number[] {
  const back = Array.from({ length: mostCorrectionsBack + 1 }, (_, i) => known - i)
  return [...back, known + 1].filter(cut => cut >= 0 && cut <= all)
}

/** At that time the question may have had no answer. */
async function answered(ask: () => unknown): Promise<unknown> {
  try {
    return await ask()
  } catch {
    // The next version may have one.
    return undefined
  }
}

const asOf = (row: FxDay, later: readonly FxCorrection[]): FxDay => {
  const was = later.find(({ day }) => day === row.day)?.was
  return was ? { ...row, rates: was } : row
}

const differ = (a: FxDay['rates'], b: FxDay['rates']): boolean =>
  Object.keys({ ...a, ...b }).some(code => a[code] !== b[code])

const whyOf = ({ at, day, was, rates }: FxCorrection) => {
  const codes = Object.keys({ ...was, ...rates }).filter(code => was[code] !== rates[code])
  return {
    at,
    what: `The European Central Bank has published other rates of ${day}: ${codes.sort().join(', ')}`,
  }
}

function heldDays(rows: readonly FxDay[]): Held<FxDay> {
  const byDay = new Map(rows.map(row => [row.day, row]))
  const built = new Map<string, unknown>()
  const held: Held<FxDay> = {
    get: day => byDay.get(String(day)),
    rows: () => rows,
    size: rows.length,
    polledAt: undefined,
    once: (name, build) => {
      if (!built.has(name)) built.set(name, build(held).value)
      return built.get(name) as never
    },
  }
  return held
}

/** The days on which we expect ECB rates. It serves expectations only: the feed decides which days exist. */

const berlinClock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  dateStyle: 'short',
  timeStyle: 'short',
})

/** A time zone look-up costs more than the rest of an answer, so it is made once a minute. */
let last = { minute: Number.NaN, berlin: { day: '', minute: 0 }, due: '' }

function lastLook(now: number): typeof last {
  const minute = Math.floor(now / 60_000)
  if (minute !== last.minute) {
    const [day = '', time = ''] = berlinClock.format(now).split(' ')
    const ofDay = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
    last = {
      minute,
      berlin: { day, minute: ofDay },
      due: ofDay >= publishedByMinute ? day : dayPlus(day, -1),
    }
  }
  return last
}

/** Day and minute of the day in Frankfurt. */
export const berlin = (now: number): Readonly<{ day: string; minute: number }> => lastLook(now).berlin

export const dayPlus = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

const fixedClosings = new Set(['01-01', '05-01', '12-25', '12-26'])

/** Western Easter Sunday (Meeus, Jones and Butcher). */
function easter(year: number): string {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114
  return `${year}-0${Math.floor(f / 31)}-${String((f % 31) + 1).padStart(2, '0')}`
}

export function isTargetDay(day: string): boolean {
  const weekday = new Date(day).getUTCDay()
  if (weekday === 0 || weekday === 6 || fixedClosings.has(day.slice(5))) return false
  const sunday = easter(Number(day.slice(0, 4)))
  return day !== dayPlus(sunday, -2) && day !== dayPlus(sunday, 1)
}

/** Each answer asks for the days since the newest rates, which are the same until midnight. */
let counted = { after: '', through: '', count: 0 }

/** The number of TARGET days after `after`, up to and including `through`. */
export function targetDays(after: string, through: string): number {
  if (after === counted.after && through === counted.through) return counted.count
  let count = 0
  for (let day = dayPlus(after, 1); day <= through; day = dayPlus(day, 1)) if (isTargetDay(day)) count++
  counted = { after, through, count }
  return count
}

/** The ECB publishes around 16:00, sometimes two hours late. A day without rates by then is missing. */
const publishedByMinute = 18 * 60

/** The last day whose rates should be published by now, if the day has rates. */
export const lastDue = (now: number): string => lastLook(now).due

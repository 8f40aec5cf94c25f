/** The ISO week of a moment, in UTC. The Thursday of a week decides which year the week belongs to. */
export function weekOf(at: string): string {
  const date = new Date(at)
  const thursday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()))
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7))
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  const week = Math.floor((thursday.getTime() - first) / 604_800_000) + 1
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`
}

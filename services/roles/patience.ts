/** What says nothing for two seconds is away: the pages of the service answer while the store or the log hangs. */
const patienceMs = 2000

export function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), patienceMs).unref()
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

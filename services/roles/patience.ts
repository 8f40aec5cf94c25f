/**
 * After two seconds of silence the store or the log counts as away, so that the service's pages respond while one of them hangs.
 */
const patienceMs = 2000

export function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), patienceMs).unref()
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

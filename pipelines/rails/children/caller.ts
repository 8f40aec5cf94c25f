/** The name of the caller. It follows the work for that caller, so that the work of many callers takes turns. */
import { AsyncLocalStorage } from 'node:async_hooks'

const here = new AsyncLocalStorage<string>()

/** Does the work for this caller. */
export const asCaller = <T>(name: string, work: () => T): T => here.run(name, work)

/** Empty if the process works for itself and not for a caller. */
export const callerNow = (): string => here.getStore() ?? ''

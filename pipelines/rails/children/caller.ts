/** Who asks. It follows the work that is done for one caller, so that work for many takes turns among them. */
import { AsyncLocalStorage } from 'node:async_hooks'

const here = new AsyncLocalStorage<string>()

/** Does the work for this caller. */
export const asCaller = <T>(name: string, work: () => T): T => here.run(name, work)

/** Empty: nobody asks, we work for ourselves. */
export const callerNow = (): string => here.getStore() ?? ''

/** Saves what the worker has compiled. Vitest ends its workers by a signal, and Node saves it only at an exit. */
import { flushCompileCache } from 'node:module'
import { afterAll } from 'vitest'

afterAll(() => flushCompileCache())

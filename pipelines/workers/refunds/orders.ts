/**
 * Orders of an operator for the one process that owns the log: a file for each request in a folder beside it. In a cluster an order is a
 * record of the log itself.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface RefundOrder {
  requestId: string
  reason: string | null
}

export const requestIdForm = /^[\w-]{1,64}$/
const mostAtOnce = 100
const mostReason = 200
const folderOf = (logFile: string): string => join(dirname(logFile), 'refund-orders')

/** Two orders of one request are one. */
export function leaveOrder(logFile: string, { requestId, reason }: RefundOrder): void {
  const folder = folderOf(logFile)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const written = join(folder, `.${requestId}.${process.pid}`)
  writeFileSync(written, JSON.stringify({ reason }), { mode: 0o600 })
  renameSync(written, join(folder, requestId))
}

export function ordersIn(logFile: string): RefundOrder[] {
  const folder = folderOf(logFile)
  return namesIn(folder)
    .filter(name => requestIdForm.test(name))
    .slice(0, mostAtOnce)
    .map(requestId => ({ requestId, reason: reasonIn(join(folder, requestId)) }))
}

export const removeOrder = (logFile: string, requestId: string): void =>
  rmSync(join(folderOf(logFile), requestId), { force: true })

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nobody has ordered anything yet.
    return []
  }
}

function reasonIn(file: string): string | null {
  try {
    const { reason } = JSON.parse(readFileSync(file, 'utf8')) as { reason?: unknown }
    return typeof reason === 'string' && reason !== '' ? reason.slice(0, mostReason) : null
  } catch {
    return null
  }
}

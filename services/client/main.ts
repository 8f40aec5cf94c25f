#!/usr/bin/env node
/** `farebox`, as it is installed: the key and the address come from the environment, and files keep what is spent and what is open. */
import { argv, env } from 'node:process'
import { run } from './command.ts'
import { keepInFolder } from './keep-folder.ts'
import { amountOf } from './open-list.ts'
import { purseInFile } from './purse-file.ts'
import { spendingInFolder, spentIn } from './spending.ts'

const keep = keepInFolder(undefined, kept =>
  console.error(
    `the payment of ${kept.signedAt} (${amountOf(kept)}, ${kept.url}${kept.path}) is given up: its answer can be had no longer`,
  ),
)
const spending = { write: spendingInFolder(), read: spentIn }
process.exitCode = await run(argv.slice(2), { env, purse: purseInFile(), keep, spending })

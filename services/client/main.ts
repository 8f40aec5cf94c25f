#!/usr/bin/env node
/** `farebox`, as it is installed: the key and the address come from the environment, and a file keeps what is spent. */
import { argv, env } from 'node:process'
import { run } from './command.ts'
import { purseInFile } from './purse-file.ts'

process.exitCode = await run(argv.slice(2), { env, purse: purseInFile() })

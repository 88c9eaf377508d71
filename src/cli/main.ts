#!/usr/bin/env node
import { runCli } from './program.ts'

const args = process.argv.slice(2)
runCli(args).then(() => {
  // A module that the configuration imports may hold the process, such as a pool of connections. `start` goes on.
  if (args[0] !== 'start') setTimeout(() => process.exit(), 1000).unref()
})

#!/usr/bin/env node
import { runCli } from './program.ts'

const args = process.argv.slice(2)
runCli(args).then(() => {
  // A module that the configuration imports may keep the process alive, such as a connection pool. `start`
  // continues to run.
  if (args[0] !== 'start') setTimeout(() => process.exit(), 1000).unref()
})

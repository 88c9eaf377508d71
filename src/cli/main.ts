#!/usr/bin/env node
import { runCli } from './program.ts'

runCli(process.argv.slice(2))

#!/usr/bin/env node
import { tooOld } from '../core/node-version.ts'

const args = process.argv.slice(2)

// `membership … | head` closes the output early. A command then finishes its work without it, and `start` ends. On a
// full disk the output is lost: the work is finished as well, and the command fails.
let isClosed = false
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (args[0] === 'start' && stream === process.stdout && !isClosed) process.kill(process.pid, 'SIGTERM')
    if (code !== 'EPIPE') process.once('exit', () => (process.exitCode ||= 1))
    if (!isClosed && stream === process.stdout) console.error(lostOutput(code))
    isClosed = true
  })

function lostOutput(code: string | undefined): string {
  return code === 'EPIPE'
    ? 'The output was closed before everything was printed.'
    : `The output could not be written${code === 'ENOSPC' ? ': the disk is full' : ''} (${code}).`
}

// Loaded afterwards: an older Node fails at the imports, with a message that names no reason.
const old = tooOld()
if (old !== null) {
  const { message, action } = old
  console.error(`${message}\n→ ${action}`)
  if (args.includes('--json')) console.log(JSON.stringify({ error: { code: 'ERR_USAGE', message, action } }))
  process.exitCode = 1
} else
  import('./program.ts')
    .then(({ runCli }) => runCli(args))
    .then(() => {
      // A module that the configuration imports may hold the process, such as a pool of connections. `start` goes on.
      if (args[0] !== 'start') setTimeout(() => process.exit(), 1000).unref()
    })

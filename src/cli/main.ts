#!/usr/bin/env node
const args = process.argv.slice(2)

// `membership … | head` closes the output early. A command then finishes its work without it, and `start` ends.
let isClosed = false
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (args[0] === 'start' && stream === process.stdout && !isClosed) process.kill(process.pid, 'SIGTERM')
    isClosed = true
  })

// Loaded afterwards: an older Node fails at the imports, with a message that names no reason.
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(
    `membership needs Node 20.19 or newer; this is Node ${process.versions.node}.\n→ Install Node 22 or newer.`,
  )
  process.exitCode = 1
} else
  import('./program.ts')
    .then(({ runCli }) => runCli(args))
    .then(() => {
      // A module that the configuration imports may hold the process, such as a pool of connections. `start` goes on.
      if (args[0] !== 'start') setTimeout(() => process.exit(), 1000).unref()
    })

export {}

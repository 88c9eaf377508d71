// A command that dies at its nth write: node --import tsx killed-command.ts N ARGS…
import { runCli } from '../../src/cli/program.ts'
import { onWrites } from './writes.ts'

const [, , at, ...args] = process.argv
onWrites(process.cwd(), (count) => {
  if (count === Number(at)) process.kill(process.pid, 'SIGKILL')
})
await runCli(args)

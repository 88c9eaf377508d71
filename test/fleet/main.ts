// npm run fleet -- [--only processes] [--quick] [--rounds 3] [--size 1000000] [--no-build] [--absolute]
// Several machines, played on this one, at Debian's PostgreSQL (PG_BIN says where another's programs lie).
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { kill, treeOf } from './cpu.ts'
import { runDelay } from './delay.ts'
import { runKilled } from './killed.ts'
import { runProcesses } from './processes.ts'
import { runRolling } from './rolling.ts'
import { runScale } from './scale.ts'
import { runSize } from './size.ts'
import { runStandby } from './standby.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean' },
    rounds: { type: 'string' },
    size: { type: 'string' },
    'no-build': { type: 'boolean' },
    absolute: { type: 'boolean' },
  },
})
const isQuick = values.quick === true
const rounds = Number(values.rounds ?? (isQuick ? 1 : 3))

const parts: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  processes: (folder) =>
    runProcesses(
      folder,
      isQuick ? { rounds, count: 300, warmUp: 300 } : { rounds, count: 3000, warmUp: 6000 },
    ),
  standby: runStandby,
  killed: runKilled,
  rolling: runRolling,
  scale: (folder) =>
    runScale(folder, isQuick ? { count: 10_000, seconds: 1 } : { count: 100_000, seconds: 10 }),
  delay: (folder) => runDelay(folder, isQuick ? { count: 1000, warmUp: 300 } : { count: 5000, warmUp: 2000 }),
  size: (folder) => runSize(folder, Number(values.size ?? (isQuick ? 20_000 : 1_000_000))),
}

const chosen = Object.keys(parts).filter((name) => values.only === undefined || values.only === name)
if (chosen.length === 0) throw new Error(`--only takes one of ${Object.keys(parts).join(', ')}`)
// What runs is the built package, as on a site's machines.
if (!values['no-build']) execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`)
const folder = await mkdtemp(join(tmpdir(), 'membership-fleet-'))
// The database's user must get in here.
await chmod(folder, 0o755)
// However this ends: nothing that it started is left.
process.on('exit', () => {
  for (const pid of treeOf(process.pid).slice(1)) kill(pid)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
for (const name of chosen) {
  const begun = performance.now()
  await parts[name]!(join(folder, name))
  console.log(`\n${name}: ${((performance.now() - begun) / 1000).toFixed(0)} s`)
}

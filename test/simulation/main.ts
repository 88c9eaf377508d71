// npm run simulate -- [--seed random|text] [--members 300] [--months 12] [--timeouts 0] [--database sqlite|postgres]
// npm run simulate -- --malice [--seed …] [--members 30] [--months 12] [--database …]: members who want it all for nothing
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { lineOf } from './figures.ts'
import { simulateMalice } from './malice/malice.ts'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    members: { type: 'string' },
    months: { type: 'string', default: '12' },
    timeouts: { type: 'string', default: '0' },
    database: { type: 'string', default: 'sqlite' },
    malice: { type: 'boolean', default: false },
  },
})
const seed = values.seed === 'random' ? randomBytes(4).toString('hex') : values.seed
const [members, months] = [Number(values.members ?? (values.malice ? 30 : 300)), Number(values.months)]
console.log(`seed ${seed}, ${members} members, ${months} months`)

const databases = await (values.database === 'postgres' ? postgresDatabases() : sqliteDatabases())
const size = { seed, database: await databases.url(), progress: (line: string) => console.log(line) }
const { broken, figures, seconds, lines } = values.malice
  ? await simulateMalice({ ...size, rogues: members, days: months * 30 }).then((end) => ({
      ...end,
      lines: end.table,
    }))
  : await simulate({ ...size, members, months, timeouts: Number(values.timeouts) }).then((end) => ({
      ...end,
      lines: end.explained.map((line) => `explained: ${line}`),
    }))
await databases.close()
console.log(`actions: ${lineOf(figures.actions)}`)
console.log(`refused: ${lineOf(figures.refused)}`)
console.log(`failed: ${lineOf(figures.failed)}`)
console.log(`world: ${lineOf(figures.world)}`)
for (const line of lines) console.log(line)
console.log(`${seconds.toFixed(1)} s, ${broken.length} broken`)
for (const one of broken) console.log(`\n${one}`)
process.exitCode = broken.length > 0 ? 1 : 0

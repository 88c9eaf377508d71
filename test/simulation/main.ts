// npm run simulate -- [--seed random|text] [--members 300] [--months 12] [--timeouts 0] [--database sqlite|postgres]
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { lineOf } from './figures.ts'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    members: { type: 'string', default: '300' },
    months: { type: 'string', default: '12' },
    timeouts: { type: 'string', default: '0' },
    database: { type: 'string', default: 'sqlite' },
  },
})
const seed = values.seed === 'random' ? randomBytes(4).toString('hex') : values.seed
const [members, months] = [Number(values.members), Number(values.months)]
console.log(`seed ${seed}, ${members} members, ${months} months`)

const databases = await (values.database === 'postgres' ? postgresDatabases() : sqliteDatabases())
const { broken, explained, figures, seconds } = await simulate({
  seed,
  members,
  months,
  timeouts: Number(values.timeouts),
  database: await databases.url(),
  progress: (line) => console.log(line),
})
await databases.close()
console.log(`actions: ${lineOf(figures.actions)}`)
console.log(`refused: ${lineOf(figures.refused)}`)
console.log(`failed: ${lineOf(figures.failed)}`)
console.log(`world: ${lineOf(figures.world)}`)
for (const line of explained) console.log(`explained: ${line}`)
console.log(`${seconds.toFixed(1)} s, ${broken.length} broken`)
for (const one of broken) console.log(`\n${one}`)
process.exitCode = broken.length > 0 ? 1 : 0

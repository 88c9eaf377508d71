// Plays the stores’ laws by a JSON with the seed, members and months. It exits with 3 when a law is broken, 0 when all hold.
import { sqliteDatabases } from '../../support/databases.ts'
import { simulateStores } from './year.ts'

const size = JSON.parse(process.argv[2] ?? '{}') as { seed: string; members: number; months: number }
const databases = await sqliteDatabases()
const { lost, wrong } = await simulateStores({ ...size, database: await databases.url() })
await databases.close()
const broken = [...lost, ...wrong].map((problem) => problem.replaceAll('\n', '; '))
console.log(broken.join('\n'))
process.exit(broken.length > 0 ? 3 : 0)

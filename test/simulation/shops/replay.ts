// Plays an account of several shops by a JSON with the provider, customers and months; without customers, one buyer for
// each reason; with `ways`, the same messages in as many orders. It exits with 3 when a law is broken.
import { sqliteDatabases } from '../../support/databases.ts'
import { sellers } from '../sellers.ts'
import { playShopCases, playShopImport } from './cases.ts'
import { playShopOrders } from './orders.ts'
import { simulateShops } from './year.ts'

interface Size {
  readonly provider: string
  readonly customers?: number
  readonly months?: number
  readonly seed?: string
  readonly ways?: number
}

const {
  provider,
  seed = '1',
  customers = 0,
  months = 0,
  ways = 0,
} = JSON.parse(process.argv[2] ?? '{}') as Size
const databases = await sqliteDatabases()
const seller = sellers.find(({ key }) => key === provider)!
function database() {
  return databases.url()
}
async function play() {
  return ways > 0
    ? playShopOrders({ seller, seed, ways, database })
    : [
        ...(await playShopCases({ seller, database: await database() })),
        ...(await playShopImport({ seller, database: await database() })),
      ]
}
const { broken, counts } =
  customers === 0
    ? { broken: await play(), counts: new Map<string, number>() }
    : await simulateShops({ seed, seller, database: await database(), customers, months })
await databases.close()
console.log(broken.join('\n'))
if (process.argv.includes('--counts'))
  for (const [what, n] of [...counts].sort()) console.log(`${what}: ${n}`)
process.exit(broken.length > 0 ? 3 : 0)

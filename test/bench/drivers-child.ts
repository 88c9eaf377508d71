// Measures the storage on one file: node --import tsx drivers-child.ts PATH
import { openStorage, step } from '../../src/core/storage/index.ts'
import { sqliteFallback } from '../../src/core/storage/sqlite-driver.ts'

const [, , path = ''] = process.argv
const storage = await openStorage({
  url: `sqlite:${path}`,
  synchronous: 'normal',
  pool: 1,
  now: () => new Date(),
})
const insert = storage.prepare<{ key: string; value: string }>('bench-insert', (db, p) =>
  db.insertInto('documents').values({ space: 'bench', key: p.key, value: p.value }),
)
const find = storage.prepare<{ key: string }, { value: string }>('bench-find', (db, p) =>
  db.selectFrom('documents').select('value').where('space', '=', 'bench').where('key', '=', p.key),
)
const value = 'x'.repeat(500)
async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (count * 1000) / (performance.now() - begun)
}
let key = 0
function commit() {
  return storage.commit([step(insert, { key: `${key++}`, value }, 1)])
}
const alone = await perSecond(2000, async () => {
  for (let n = 0; n < 2000; n++) await commit()
})
const together = await perSecond(20_000, async () => {
  for (let n = 0; n < 20_000; n += 64) await Promise.all(Array.from({ length: 64 }, commit))
})
const reads = await perSecond(20_000, async () => {
  for (let n = 0; n < 20_000; n++) await storage.all(find, { key: `${n}` })
})
await storage.close()
console.log(
  JSON.stringify({ driver: sqliteFallback() ? 'node:sqlite' : 'better-sqlite3', alone, together, reads }),
)

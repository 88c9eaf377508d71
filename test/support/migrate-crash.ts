// Writes or takes back a migration and says when it begins and when it first writes, or dies at its nth write: tsx migrate-crash.ts
// write|rollback SITE [N]
import { migrateSite } from '../../src/index.ts'
import { onWrites } from './writes.ts'

const [what, site = '', at] = process.argv.slice(2)
onWrites(site, (count) => {
  if (count === 1) console.log('writing')
  if (count === Number(at)) process.kill(process.pid, 'SIGKILL')
})
console.log('begin')
await migrateSite(site, what === 'write' ? { write: true } : { rollback: true })
console.log('end')

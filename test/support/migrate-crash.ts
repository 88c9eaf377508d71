// Writes or takes back a migration and says when it begins: tsx migrate-crash.ts write|rollback SITE
import { migrateSite } from '../../src/index.ts'

const [what, site = ''] = process.argv.slice(2)
console.log('begin')
await migrateSite(site, what === 'write' ? { write: true } : { rollback: true })
console.log('end')

// node migrate-child.mjs read|plan FOLDER: reads a folder's files, or plans its migration with the built package.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [what, folder] = process.argv.slice(2)
const { migrateSite } = what === 'plan' ? await import('../../dist/index.js') : {}
const begun = performance.now()
let said = ''
if (what === 'read') {
  let bytes = 0
  for (const one of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (one.isFile()) bytes += readFileSync(join(one.parentPath, one.name)).length
  said = String(bytes)
} else {
  const { plan } = await migrateSite(folder)
  said = `${plan.changes.length} files change`
}
const seconds = (performance.now() - begun) / 1000
console.log(JSON.stringify({ seconds, megabytes: Math.round(process.resourceUsage().maxRSS / 1024), said }))

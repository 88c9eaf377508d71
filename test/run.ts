import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildSuite } from './support/build.ts'
import { startPostgres } from './support/databases.ts'
import { toGlobs } from './support/test-names.ts'

// `npm test` runs everything, `npm test -- ledger` the test files whose path contains the word. One PostgreSQL serves
// all files, which would otherwise start one each; a whole run translates TypeScript once.
const root = join(import.meta.dirname, '..')
const isWhole = process.argv.length === 2
if (isWhole) await buildSuite(root)
const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
const given = process.env.TEST_DATABASE_URL
const server = given ? null : await startPostgres()
const tests = spawn(process.execPath, [ava, ...toGlobs(process.argv.slice(2))], {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_DATABASE_URL: given ?? server?.url,
    ...(isWhole ? { TEST_BUILT: join(root, '.built') } : {}),
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const [code] = (await once(tests, 'exit')) as [number | null]
await server?.stop()
// The server's package sets the exit code to 0 on `beforeExit`, so exit at once.
process.exit(code ?? 1)

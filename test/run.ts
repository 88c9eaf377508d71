import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildSuite } from './support/build.ts'
import { startPostgres } from './support/databases.ts'

// `npm test`: one PostgreSQL for all test files, which would else make one each, and for the whole suite one translation;
// then AVA with the arguments given.
const root = join(import.meta.dirname, '..')
const isWhole = process.argv.length === 2
if (isWhole) await buildSuite(root)
const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
const given = process.env.TEST_DATABASE_URL
const server = given ? null : await startPostgres()
const tests = spawn(process.execPath, [ava, ...process.argv.slice(2)], {
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
// Said outright: the server's package ends whoever only sets an exit code with 0 (its hook on `beforeExit`).
process.exit(code ?? 1)

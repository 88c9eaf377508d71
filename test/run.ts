import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startPostgres } from './support/databases.ts'

// `npm test`: one PostgreSQL for all test files, which would else make one each, and for the whole suite one build of the
// command; then AVA with the arguments given.
const root = join(import.meta.dirname, '..')
const built = process.argv.length > 2 ? undefined : join(root, '.built')
if (built)
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', built],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
const ava = join(import.meta.dirname, '../node_modules/ava/entrypoints/cli.mjs')
const given = process.env.TEST_DATABASE_URL
const server = given ? null : await startPostgres()
const tests = spawn(process.execPath, [ava, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_DATABASE_URL: given ?? server?.url, ...(built ? { TEST_BUILT: built } : {}) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const [code] = (await once(tests, 'exit')) as [number | null]
await server?.stop()
process.exitCode = code ?? 1

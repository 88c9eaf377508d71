import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { buildSuite, groupsAtOnce, testFiles, writeGroup } from './support/build.ts'
import { startPostgres } from './support/databases.ts'
import { type Printed, readOutput, summaryOf, toGlobs } from './support/output.ts'

// `npm test` runs every test but the thorough ones, `npm run test:all` those too, `npm run test:all -- --rest` those
// alone. `npm test -- ledger` runs the test files whose path contains the word. One PostgreSQL serves all files, which
// would otherwise start one each; a whole run translates TypeScript once.
const root = join(import.meta.dirname, '..')
const { part, args } = readArguments(process.argv.slice(2))
const isWhole = args.length === 0
const memory = isWhole ? await folderInMemory() : null
if (memory) process.env.TMPDIR = memory
const given = process.env.TEST_DATABASE_URL
const starting = given ? null : startPostgres()
if (isWhole) await buildSuite(root, part).catch(cleanUp)
const server = await starting
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

let { code, printed } = await runAva(toGlobs(args))
if (code !== 0 && isWhole && process.env.TEST_RETRY) code = await runAgain(printed)
else if (code !== 0) process.stdout.write(summaryOf(printed))
await server?.stop()
if (memory) await rm(memory, { recursive: true, force: true })
// The server's package sets the exit code to 0 on `beforeExit`, so exit at once, but not before all is written.
process.stdout.write('', () => process.exit(code))

async function cleanUp(error: unknown): Promise<never> {
  await (await starting)?.stop()
  if (memory) await rm(memory, { recursive: true, force: true })
  throw error
}

async function runAva(files: readonly string[]): Promise<{ code: number; printed: Printed }> {
  const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
  const atOnce = isWhole ? ['--concurrency', String(groupsAtOnce)] : []
  const child = spawn(process.execPath, [ava, ...atOnce, ...files], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      TEST_DATABASE_URL: given ?? server?.url,
      ...(isWhole ? { TEST_BUILT: join(root, '.built'), TEST_PART: part } : {}),
    },
  })
  const end = () => child.kill('SIGTERM')
  stop.signal.addEventListener('abort', end)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    process.stdout.write(chunk)
  })
  const [status] = (await once(child, 'close')) as [number | null]
  stop.signal.removeEventListener('abort', end)
  return { code: status ?? 1, printed: readOutput(Buffer.concat(chunks).toString()) }
}

/**
 * Runs the files of a few tests that failed once more, with nothing beside them. A test that passes then is
 * named, since it depends on how busy the machine is.
 */
async function runAgain(before: Printed): Promise<number> {
  const files = testFiles(root).filter((name) =>
    before.failed.some((title) => title.includes(` › ${name.replaceAll('/', ' › ')} › `)),
  )
  if (before.isBroken || stop.signal.aborted || before.failed.length > 10 || files.length === 0) {
    process.stdout.write(summaryOf(before))
    return 1
  }
  process.stdout.write(`\n== Once more, alone: ${files.join(', ')}\n`)
  const again = await runAva([writeGroup(root, 'again', files)])
  if (again.code !== 0) {
    process.stdout.write(summaryOf(before))
    return again.code
  }
  const list = before.failed.map((title) => `  ${title}`).join('\n')
  process.stdout.write(`${summaryOf(before)}\n== Failed among the others and passed alone\n${list}\n`)
  process.stdout.write(`\n  ${before.passed + before.failed.length} tests passed\n`)
  return 0
}

/**
 * Makes the folder of the tests' databases in memory where there is room for them: on a disk, each commit of
 * each test waits for it, and a run for its disk half of the time. Set TMPDIR to choose another.
 */
async function folderInMemory(): Promise<string | null> {
  const place = '/dev/shm'
  if (process.env.TMPDIR || !existsSync(place)) return null
  const { bavail, bsize } = await statfs(place)
  if (bavail * bsize < 6 * 1024 ** 3) return null
  const folder = await mkdtemp(join(place, 'membership-'))
  // PostgreSQL does not run as root, and some tests run as nobody.
  await chmod(folder, 0o1777)
  return folder
}

function readArguments(all: readonly string[]) {
  const parts: Readonly<Record<string, string>> = { '--all': 'all', '--rest': 'thorough' }
  const named = all.filter((arg) => arg in parts).at(-1)
  return { part: parts[named ?? ''] ?? 'usual', args: all.filter((arg) => !(arg in parts)) }
}

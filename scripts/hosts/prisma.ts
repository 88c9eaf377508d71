/** Runs the recipe for Prisma of docs/recipes.md as it stands there, in an empty folder, beside our tables: `npm run hosts prisma`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresDatabases } from '../../test/support/databases.ts'
import { installInto, packInto, versionIn } from '../install.ts'

const root = join(import.meta.dirname, '../..')
const packages = ['prisma@7', '@prisma/client@7', '@prisma/adapter-pg@7', 'tsx']

/** Whether the recipe does what it says; what it said is printed. */
export async function runPrisma(): Promise<boolean> {
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-prisma-'))
  const database = await postgresDatabases()
  try {
    if (kept === undefined)
      installInto(folder, [process.env.MEMBERSHIP_TARBALL ?? packInto(folder), ...packages])
    const url = await database.url()
    await makeTables(url)
    const [schema, code] = snippets()
    writeFileSync(join(folder, 'schema.prisma'), schema)
    writeFileSync(join(folder, 'site.mts'), code)
    writeFileSync(join(folder, 'prisma.config.ts'), "export default { schema: 'schema.prisma' }\n")
    const run = (file: string, ...args: readonly string[]) =>
      execFileSync(process.execPath, [join('node_modules', file), ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 120_000,
        // `generate` asks for no engine, but would download one.
        env: { ...process.env, DATABASE_URL: url, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' },
      })
    run('prisma/build/index.js', 'generate')
    const said = run('tsx/dist/cli.mjs', 'site.mts')
    const works = said.includes("words: 'Mine.'")
    console.log(
      `${works ? '✔' : '✘'} Prisma ${versionIn(folder, 'prisma')} beside our tables\n${said.trim()}`,
    )
    return works
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    console.log(`✘ Prisma beside our tables\n${message}\n${stderr}`.slice(0, 3000))
    return false
  } finally {
    await database.close()
    if (kept === undefined && existsSync(folder)) rmSync(folder, { recursive: true, force: true })
  }
}

// What `prisma db push` would make.
async function makeTables(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('create schema site')
  await client.query(
    'create table site.notes (id text primary key, member_id text not null, words text not null)',
  )
  await client.end()
}

function snippets(): [schema: string, code: string] {
  const recipe = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
    .split('\n## ')
    .find((item) => item.startsWith('Prisma'))
  const [schema = '', code = ''] = [...(recipe ?? '').matchAll(/```(?:prisma|js)\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  return [schema, code]
}

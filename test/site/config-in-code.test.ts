import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { createMembership } from '../../src/index.ts'
import { withKey } from '../../src/site/config-in-code.ts'
import { runCommand } from '../support/command.ts'

const root = join(import.meta.dirname, '../..')

async function folderWith(t: ExecutionContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-code-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

async function withMember(file: string) {
  const m = await createMembership({
    root: false,
    install: false,
    'membership.database.url': `sqlite:${file}`,
  })
  await m.users.create({ email: 'ada@example.com', verified: true })
  await m.close()
}

const options = `export default {
  membership: { database: { url: process.env.SITE_DATABASE } },
  'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox': {
    plans: { pro: { prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' }] } },
  },
}`
const grant = ['members', 'grant', 'ada@example.com', 'pro']

for (const [name, file, others] of [
  ['membership.config.js', 'membership.config.js', { 'package.json': '{ "type": "module" }' }],
  ['membership.config.mjs', 'membership.config.mjs', {}],
  ['membership.config.ts', 'membership.config.ts', { 'package.json': '{ "type": "module" }' }],
  [
    'the file that package.json names',
    'src/settings.mjs',
    { 'package.json': '{ "membership": "./src/settings.mjs" }' },
  ],
] as const)
  test.serial(`commands open the site by ${name}, with the variables of its .env`, async (t) => {
    const env = 'SITE_DATABASE=sqlite:data/site.db\n'
    const folder = await folderWith(t, { [file]: options, '.env': env, ...others })
    // The site has installed tsx, which Node 20 needs for TypeScript.
    if (file.endsWith('.ts')) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    t.regex((await runCommand(folder, grant)).stderr, /There is no database at .*data\/site\.db/)
    await withMember(join(folder, 'data/site.db'))
    t.regex((await runCommand(folder, grant)).stdout, /pro/)
    t.regex((await runCommand(folder, ['members', 'show', 'ada@example.com'])).stdout, /pro/)
    const { stdout, code } = await runCommand(folder, ['doctor'])
    t.regex(stdout, /New checkouts go to sandbox/)
    t.is(code, 0, stdout)
  })

test.serial('DATABASE_URL and --config override the file', async (t) => {
  const folder = await folderWith(t, { 'membership.config.mjs': options, 'other.config.mjs': options })
  await withMember(join(folder, 'another.db'))
  const env = { SITE_DATABASE: 'sqlite:nowhere/site.db', DATABASE_URL: 'sqlite:another.db' }
  t.is((await runCommand(folder, grant, { env })).code, 0)
  const named = { env: { SITE_DATABASE: 'sqlite:another.db' } }
  t.is((await runCommand(folder, [...grant, '--config', 'other.config.mjs'], named)).code, 0)
})

test.serial('a file that starts the site, or exports nothing, is distinguished from options', async (t) => {
  const said = async (text: string) => {
    const folder = await folderWith(t, { 'membership.config.mjs': text })
    return (await runCommand(folder, grant)).stderr
  }
  t.regex(await said('export default { koa() {}, close() {} }'), /exports a membership that is running/)
  t.regex(await said('export default [1]'), /has to export the options of createMembership as an object/)
  t.regex(await said('export const a = 1'), /membership\.config\.mjs has no default export/)
  t.regex(await said('throw new Error("no such thing")'), /could not be loaded: no such thing/)
  t.regex(
    await said('import "not-installed"'),
    /membership\.config\.mjs imports the package not-installed, which is not installed\.\n→ Run npm install/,
  )
  const two = await folderWith(t, { 'membership.config.mjs': options, 'membership.config.js': options })
  t.regex(
    (await runCommand(two, grant)).stderr,
    /membership\.config\.js and membership\.config\.mjs are both/,
  )
  const gone = await folderWith(t, { 'package.json': '{ "membership": "gone.mjs" }' })
  t.regex((await runCommand(gone, grant)).stderr, /There is no file gone\.mjs/)
})

const typed = `import { name } from './name'
enum Mode { Test = 'test' }
export default { 'membership.name': name + Mode.Test satisfies string }`

test('TypeScript is read by the site’s tsx or jiti, and without both an error says so', async (t) => {
  const folder = await folderWith(t, {
    'package.json': '{ "type": "module" }',
    'membership.config.ts': typed,
    'name.ts': "export const name: string = 'Neap '",
  })
  // A plain Node process: this one has tsx.
  const program = join(folder, 'read.mjs')
  await build({
    stdin: {
      contents: `import { importDefault } from './src/core/config/code-files.ts'
        importDefault(process.argv[2], 'membership.config.ts')
          .then((found) => console.log(JSON.stringify(found)), ({ message, action }) => console.log(message, action))`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: program,
    logLevel: 'warning',
  })
  const { NODE_OPTIONS: _, ...env } = process.env
  const read = async () =>
    (await promisify(execFile)(process.execPath, [program, join(folder, 'membership.config.ts')], { env }))
      .stdout
  t.regex(
    await read(),
    /is TypeScript\. Node v[\d.]+ cannot import it, and the site has neither tsx nor jiti/,
  )
  const jiti = join(folder, 'node_modules/jiti')
  await mkdir(jiti, { recursive: true })
  await writeFile(join(jiti, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  await writeFile(
    join(jiti, 'index.js'),
    "export const createJiti = () => ({ import: async () => ({ default: { by: 'jiti' } }) })",
  )
  t.is(await read(), '{"by":"jiti"}\n')
  await symlink(join(root, 'node_modules/tsx'), join(folder, 'node_modules/tsx'))
  t.is(await read(), '{"membership.name":"Neap test"}\n')
})

test('another value for a key replaces the existing one, in any notation', (t) => {
  const url = 'membership.database.url'
  const given = [
    { membership: { database: { url: 'a', pool: 3 }, name: 'x' } },
    { 'membership.database': { url: 'a', pool: 3 }, 'membership.name': 'x' },
    { membership: { 'database.url': 'a', 'database.pool': 3, name: 'x' } },
  ] as const
  for (const item of given) {
    const made = withKey(item as never, url, 'b')
    t.is((made as Record<string, unknown>)[url], 'b')
    t.false(JSON.stringify({ ...made, [url]: undefined }).includes('"a"'))
    t.true(JSON.stringify(made).includes('3'))
  }
})

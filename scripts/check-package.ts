/** Builds the package, checks the tarball, installs it into an empty folder and uses it there as a site would. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installInto, packInto } from './install.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'membership-package-'))
function run(command: string, args: string[], cwd = folder): string {
  console.log(`$ ${command} ${args.join(' ')}`)
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
function bin(name: string) {
  return join(root, 'node_modules', '.bin', name)
}

function fails(what: string, attempt: () => void): void {
  try {
    attempt()
  } catch {
    return
  }
  throw new Error(what)
}

const use = `
const user = { email: 'ada@example.com', verified: true }
const m = await createMembership({ root: false, 'membership.database.url': 'sqlite::memory:', 'membership.provider.handler': 'stripe', 'membership.providers.stripe.webhook': 'whsec_x' })
const ada = await m.users.create(user)
await m.users.grant({ memberId: ada.id, gate: 'price_1' })
const known = await m.users.findByEmail('ada@example.com')
if (!known.hasGate('price_1') || m.runAs(known, () => membership().allows('price_2'))) throw new Error('gates')
await m.close()
`

try {
  run('npm', ['run', '--silent', 'build'], root)
  const tarball = packInto(folder)
  run(bin('publint'), ['run', '--strict', tarball], root)
  run(bin('attw'), ['--profile', 'esm-only', tarball], root)

  installInto(folder, [tarball])
  const dist = join(folder, 'node_modules/membership/dist')
  const code = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  if (code.some((file) => /\bfrom ?"kysely"/.test(readFileSync(join(dist, file), 'utf8'))))
    throw new Error('Kysely is loaded from node_modules, and no longer part of the bundles')
  if (!/MIT/.test(readFileSync(join(dist, 'LICENSE-kysely'), 'utf8'))) throw new Error('licence of Kysely')
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { createMembership, membership } from 'membership'\nimport * as testkit from 'membership/testkit'\nif (typeof testkit.signed !== 'function') throw new Error('testkit')\n${use}`,
  )
  run('node', ['use.mjs'])
  writeFileSync(
    join(folder, 'use.cjs'),
    `const { createMembership, membership } = require('membership')\n;(async () => {${use}})()`,
  )
  run('node', ['use.cjs'])
  const old =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })'
  const onOldNode = spawnSync('node', ['--import', `data:text/javascript,${old}`, 'use.mjs'], { cwd: folder })
  if (!/^\[?Error: membership needs Node 20\.19 or newer/m.test(String(onOldNode.stderr)))
    throw new Error(`An old Node says: ${onOldNode.stderr}`)
  if (!/webhooks/.test(run('npx', ['membership', '--help']))) throw new Error('npx membership --help')

  const consumer = (price: string) => `
    import { subscriptionForPrice } from 'membership'
    declare module 'membership' { interface Register { gates: 'pro'; prices: 'price_1' } }
    export const find = () => subscriptionForPrice('${price}')
  `
  const compiles = (files: readonly string[], options: Readonly<Record<string, unknown>>) => {
    const compilerOptions = {
      module: 'NodeNext',
      target: 'ES2023',
      strict: true,
      skipLibCheck: true,
      ...options,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  }
  const typed = { noEmit: true, types: [] }
  writeFileSync(join(folder, 'site.ts'), consumer('price_1'))
  compiles(['site.ts'], typed)
  writeFileSync(join(folder, 'site.ts'), consumer('price_misspelt'))
  fails('a misspelt price compiled', () => compiles(['site.ts'], typed))
  // The guide's provider, as somebody would write it: three files, built and run.
  const guide = readFileSync(join(root, 'docs/your-own-provider.md'), 'utf8')
  const files = [...guide.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
    name,
    code,
  }))
  for (const { name, code } of files) writeFileSync(join(folder, name), code)
  compiles(
    files.map(({ name }) => name),
    { types: ['node'], outDir: 'built' },
  )
  if (!/Acme is received/.test(run('node', ['built/acme-test.js'])))
    throw new Error('the provider of the guide')
  console.log(
    'The package is sound: publint, attw, import, require, testkit, command line, types, a provider of one’s own.',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { loader, sourceFile } from '../support/command.ts'
import { thorough } from '../support/parts.ts'

const root = join(import.meta.dirname, '../..')
const { exports, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { default?: string } | string>
  peerDependencies: Record<string, string>
}
const peers = [
  ...Object.keys(peerDependencies),
  '@auth/core',
  '@strapi/utils',
  'better-auth',
  'passport',
  'nuxt',
  'vue',
  'h3',
]

/** Entries of hosts, by their source. */
const entries = [
  ...new Set(
    Object.values(exports)
      .flatMap((given) => (typeof given === 'string' ? [] : [given.default ?? '']))
      .filter((file) => file.startsWith('./dist/entries/'))
      .map((file) => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
  ),
]

const hook = `
import { appendFileSync } from 'node:fs'
export const resolve = async (specifier, context, next) => {
  appendFileSync(process.env.LOADED_MODULES, specifier + '\\n')
  const found = await next(specifier, context)
  appendFileSync(process.env.LOADED_MODULES, found.url + '\\n')
  return found
}`
const recorder = `import { register } from 'node:module'
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})`

// Module by module, since a bundle would show none.
function addressOf(name: string): string {
  return pathToFileURL(sourceFile(name, { whole: false })).href
}

/** Modules that a process of its own asks for and loads, for some code. */
function modulesOf(code: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'membership-modules-'))
  const file = join(folder, 'modules.txt')
  try {
    const record = `--import=data:text/javascript,${encodeURIComponent(recorder)}`
    const args = [...loader, record, '--input-type=module', '-e', code]
    execFileSync(process.execPath, args, {
      cwd: root,
      env: { ...process.env, LOADED_MODULES: file },
      stdio: 'pipe',
    })
    return readFileSync(file, 'utf8').split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function peersAmong(modules: readonly string[]): string[] {
  return peers.filter((name) =>
    modules.some(
      (module) =>
        module === name || module.startsWith(`${name}/`) || module.includes(`/node_modules/${name}/`),
    ),
  )
}
function entriesAmong(modules: readonly string[]): string[] {
  return entries.filter((file) =>
    modules.some((module) => module.split('?')[0] === addressOf(file.slice('src/'.length, -'.ts'.length))),
  )
}

const open = `
const { createMembership } = await import('${addressOf('index')}')
const m = await createMembership({ root: false, log: () => {}, 'membership.database.url': 'sqlite::memory:',
  'membership.compare.automatic': false, 'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox.plans': { pro: { prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' }] } } })
await m.close()`

test('an instance loads no entry of a host and no optional package', (t) => {
  const modules = modulesOf(open)
  t.true(
    modules.some((module) => module === addressOf('index')),
    'modules were recorded',
  )
  t.deepEqual(entriesAmong(modules), [])
  t.deepEqual(peersAmong(modules), [])
})

/** Packages without which an entry is nothing, so that it names them at its top. */
const own: Readonly<Record<string, readonly string[]>> = {
  'src/entries/nest.ts': ['@nestjs/common'],
  'src/entries/next.ts': ['next'],
  'src/entries/nuxt-app.ts': ['nuxt'],
  'src/entries/payload-office-link.ts': ['react'],
  'src/entries/react.ts': ['react'],
  'src/entries/react-client.ts': ['react'],
}
for (const file of entries)
  thorough(test)(`${file} loads no other entry, and no package but its own host`, (t) => {
    // Packages of hosts are not installed here.
    const modules = modulesOf(
      `await import('${addressOf(file.slice('src/'.length, -'.ts'.length))}').catch(({ code }) => { if (code !== 'ERR_MODULE_NOT_FOUND') throw code })`,
    )
    t.deepEqual(
      entriesAmong(modules).filter((other) => other !== file && !shared(file, other)),
      [],
    )
    t.deepEqual(
      peersAmong(modules).filter((name) => !own[file]?.includes(name)),
      [],
    )
  })

/**
 * NestJS stands on Express or Fastify, the link in Payload's admin belongs to its plugin, and React's parts
 * include those of the browser.
 */
function shared(file: string, other: string): boolean {
  return (
    (file === 'src/entries/nest.ts' && /(express|fastify)\.ts$/.test(other)) ||
    (file === 'src/entries/payload-office-link.ts' && other === 'src/entries/payload.ts') ||
    (file === 'src/entries/react.ts' && other === 'src/entries/react-client.ts')
  )
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import test from 'ava'
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { providers } from '../src/providers/index.ts'

const root = join(import.meta.dirname, '..')
const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  forbidden: IForbiddenRuleType[]
}
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** The names of the rules that a house with these files breaks. */
const broken = async (files: Record<string, string>): Promise<string[]> => {
  // Inside the project, so that libraries are found.
  const folder = await mkdtemp(join(root, '.house-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    const options: ICruiseOptions = {
      baseDir: folder,
      validate: true,
      ruleSet: { forbidden },
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
    }
    const { output } = await cruise(['src'], options, {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    })
    return [...new Set((output as ICruiseResult).summary.violations.map(({ rule }) => rule.name))].sort()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test.serial('a house that imports downwards is fine', async (t) => {
  t.deepEqual(
    await broken({
      'src/core/errors.ts': 'export const error = 1',
      'src/core/dto/index.ts': 'export const dto = 1',
      'src/core/storage/sqlite.ts':
        "import Database from 'better-sqlite3'\nimport { error } from '../errors.ts'\nexport const open = () => [Database, error]",
      'src/memberships/members/index.ts':
        "import type { Context } from 'koa'\nimport { dto } from '../../core/dto/index.ts'\nimport { open } from '../../core/storage/sqlite.ts'\nexport const user = (ctx: Context) => [ctx, dto, open]",
    }),
    [],
  )
})

test.serial('an import upwards is refused, of a type, too', async (t) => {
  for (const word of ['import', 'import type'])
    t.deepEqual(
      await broken({
        'src/core/dto/index.ts': `${word} { Gate } from '../../memberships/members/gates.ts'\nexport const dto: Gate | null = null`,
        'src/memberships/members/gates.ts': 'export class Gate {}',
      }),
      ['floor-of-dto'],
      word,
    )
})

test.serial('rooms on one floor do not import each other', async (t) => {
  t.deepEqual(
    await broken({
      'src/memberships/webhooks/index.ts':
        "import { mend } from '../reconcile/index.ts'\nexport const inbox = mend",
      'src/memberships/reconcile/index.ts': 'export const mend = 1',
    }),
    ['floor-of-webhooks'],
  )
})

test.serial('a circle is refused', async (t) => {
  t.deepEqual(
    await broken({
      'src/memberships/ledger/a.ts': "import { b } from './b.ts'\nexport const a = () => b",
      'src/memberships/ledger/b.ts': "import { a } from './a.ts'\nexport const b = () => a",
    }),
    ['no-circles'],
  )
})

test.serial('a room without a floor is refused', async (t) => {
  t.deepEqual(
    await broken({
      'src/cli/main.ts': "import { help } from '../helpers/index.ts'\nexport const main = help",
      'src/helpers/index.ts': 'export const help = 1',
    }),
    ['not-in-the-house'],
  )
})

test.serial('a library outside of its home is refused, and a bare type of koa is not', async (t) => {
  const homes: [string, string][] = [
    ['koa', 'koa'],
    ['@koa/router', '@koa-router'],
    ['koa-body', 'koa-body'],
    ['kysely', 'kysely'],
    ['better-sqlite3', 'better-sqlite3'],
    ['pg', 'pg'],
    ['jose', 'jose'],
    ['eta', 'eta'],
    ['stripe', 'stripe'],
    ['yaml', 'yaml'],
    ['commander', 'commander'],
    ['light-my-request', 'light-my-request'],
    ['lru-cache', 'lru-cache'],
    ['rate-limiter-flexible', 'rate-limiter-flexible'],
  ]
  const files = Object.fromEntries(
    homes.map(([library], i) => [
      `src/core/dto/${i}.ts`,
      `import * as it from '${library}'\nexport const all = it`,
    ]),
  )
  t.deepEqual(await broken(files), homes.map(([, rule]) => `home-of-${rule}`).sort())
  t.deepEqual(
    await broken({ 'src/core/dto/a.ts': "import type { Context } from 'koa'\nexport type A = Context" }),
    [],
  )
})

test.serial('memberships know what a provider is, and none by name', async (t) => {
  const files = (from: string) => ({
    'src/providers/acme/index.ts': 'export const acme = 1',
    'src/providers/accounts.ts': 'export const providerAt = 1',
    'src/memberships/checkout/index.ts': `import * as it from '../../providers/${from}'\nexport const all = it`,
  })
  t.deepEqual(await broken(files('acme/index.ts')), ['any-provider'])
  t.deepEqual(await broken(files('accounts.ts')), [])
})

test.serial('providers do not import each other, and nothing runs on a devDependency', async (t) => {
  t.deepEqual(
    await broken({
      'package.json': JSON.stringify({ devDependencies: { express: '5' } }),
      'src/providers/acme/index.ts': "import { b } from '../bolt/index.ts'\nexport const a = b",
      'src/providers/bolt/index.ts': "import express from 'express'\nexport const b = express",
    }),
    ['providers-apart', 'runs-on-dependencies'],
  )
})

test('a provider is one folder and one line', (t) => {
  t.deepEqual(providers.map(({ key }) => key).sort(), foldersIn('src/providers'))
  const list = readFileSync(join(root, 'src/providers/index.ts'), 'utf8')
  for (const { key } of providers)
    t.is(list.split('\n').filter((line) => line.includes(`./${key}/`)).length, 1, key)
})

test('nothing outside of a provider’s folder names it, except the list and what its nature asks for', (t) => {
  const allowed: Record<string, string[]> = {
    // The demo sells through it.
    sandbox: [
      'src/cli/start.ts',
      'src/site/runtime/start.ts',
      'src/site/runtime/demo.ts',
      // A directive of content security policies.
      'src/reports/preview/headers.ts',
      'src/memberships/mails/frame.ts',
    ],
    // Version 1 had it only.
    stripe: [
      'src/core/config/v1.ts',
      'src/testkit/view.ts',
      'src/testkit/index.ts',
      'src/cli/main.ts',
      'src/cli/webhooks.ts',
      'src/cli/webhooks-pull.ts',
    ],
  }
  const code = (file: string) =>
    readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  for (const { key } of providers) {
    const named = filesBelow('src')
      .filter((file) => !file.startsWith(`src/providers/${key}/`) && file !== 'src/providers/index.ts')
      .filter((file) => new RegExp(`\\b${key}\\b`).test(code(file)))
    t.deepEqual(
      named.filter((file) => !allowed[key]?.includes(file)),
      [],
      key,
    )
  }
})

test('a database is one file in storage', (t) => {
  const drivers = ['better-sqlite3', 'pg']
  for (const driver of drivers) {
    // A site's own database is opened where its rows are migrated.
    const users = filesBelow('src').filter(
      (file) =>
        file !== 'src/migrate/accounts/database.ts' &&
        readFileSync(join(root, file), 'utf8').includes(`from '${driver}'`),
    )
    t.is(users.length, 1, driver)
    t.is(dirname(users[0]!), 'src/core/storage', driver)
  }
})

test('no file is longer than 250 lines without a reason', (t) => {
  const reasons: Record<string, string> = {
    'src/core/storage/postgres.ts': 'one database is one file',
  }
  const long = filesBelow('src').filter(
    (file) => readFileSync(join(root, file), 'utf8').split('\n').length > 251,
  )
  t.deepEqual(
    long.filter((file) => !(relative('.', file) in reasons)),
    [],
  )
  t.deepEqual(
    Object.keys(reasons).filter((file) => !long.includes(file)),
    [],
    'a reason is no longer needed',
  )
})

test('every file and folder that CONTRIBUTING.md names is there', (t) => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const named = [...text.matchAll(/`((?:src|test|templates|config|docs|scripts)\/[\w./-]*)`/g)].map(
    ([, name]) => name!,
  )
  t.true(named.length > 40)
  t.deepEqual(
    named.filter((name) => !existsSync(join(root, name))),
    [],
  )
  // The wings stand in the table as they stand in the folder.
  const wings = foldersIn('src')
  t.deepEqual(
    wings.filter((wing) => !text.includes(`\`${wing}/\``)),
    [],
  )
})

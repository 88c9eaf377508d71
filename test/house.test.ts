import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import ts from 'typescript'
import { parse } from 'yaml'
import { openStorage } from '../src/core/storage/index.ts'
import { bareProvider } from '../src/providers/bare.ts'
import { providers } from '../src/providers/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { loader, programFile } from './support/command.ts'
import { thorough } from './support/parts.ts'

const run = promisify(execFile)
// Each rule of the layers costs a second, and `npm run layers` applies them all.
const more = thorough(test)

const root = join(import.meta.dirname, '..')
const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  forbidden: IForbiddenRuleType[]
}
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}
function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** The names of the rules that a house with these files breaks. */
async function broken(files: Record<string, string>): Promise<string[]> {
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

test.serial('downward imports are accepted', async (t) => {
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

test.serial('an upward import is refused, also of a type', async (t) => {
  for (const word of ['import', 'import type'])
    t.deepEqual(
      await broken({
        'src/core/dto/index.ts': `${word} { Gate } from '../../memberships/members/index.ts'\nexport const dto: Gate | null = null`,
        'src/memberships/members/index.ts': 'export class Gate {}',
      }),
      ['floor-of-dto'],
      word,
    )
})

more.serial('folders on the same layer do not import each other', async (t) => {
  t.deepEqual(
    await broken({
      'src/memberships/webhooks/index.ts':
        "import { mend } from '../sync/index.ts'\nexport const inbox = mend",
      'src/memberships/sync/index.ts': 'export const mend = 1',
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

test.serial('a module of memberships is entered by its index.ts alone', async (t) => {
  const files = (door: string) => ({
    'src/memberships/ledger/index.ts': "export { claim } from './claims.ts'",
    'src/memberships/ledger/claims.ts': 'export const claim = 1',
    'src/memberships/gifts/index.ts': `export { claim } from '../ledger/${door}'`,
    'src/office/index.ts': `import type { claim } from '../memberships/ledger/${door}'\nexport type Claim = typeof claim`,
    'src/public-types.ts': "export type { claim } from './memberships/ledger/claims.ts'",
  })
  t.deepEqual(await broken(files('claims.ts')), ['by-the-door', 'by-the-door-from-above'])
  t.deepEqual(await broken(files('index.ts')), [])
})

more.serial('a folder without a layer is refused', async (t) => {
  t.deepEqual(
    await broken({
      'src/cli/main.ts': "import { help } from '../helpers/index.ts'\nexport const main = help",
      'src/helpers/index.ts': 'export const help = 1',
    }),
    ['not-in-the-house'],
  )
})

more.serial('a library outside its folder is refused, except koa’s types', async (t) => {
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

more.serial('memberships import only types of providers', async (t) => {
  const files = (from: string, word = 'import') => ({
    'src/providers/acme/index.ts': 'export const acme = 1',
    'src/providers/contract.ts': 'export interface Provider { key: string }',
    'src/providers/call-once.ts': 'export const once = 1',
    'src/memberships/checkout/index.ts': `${word} * as it from '../../providers/${from}'\nexport type All = typeof it`,
  })
  t.deepEqual(await broken(files('acme/index.ts')), ['any-provider'])
  t.deepEqual(await broken(files('call-once.ts')), ['any-provider'])
  t.deepEqual(await broken(files('contract.ts', 'import type')), [])
})

more.serial('providers do not import each other, and no production code uses a devDependency', async (t) => {
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

test('each provider has the same file names for the same jobs, and types its field names once', (t) => {
  // The sandbox is its own provider: it keeps books instead of asking an API.
  const asked = foldersIn('src/providers').filter((key) => key !== 'sandbox')
  const jobs =
    'index payload secrets verify read changes customer subscription money facts api list endpoints sessions subscriptions refunds'
  const ofShops = new Set(['customer', 'list', 'endpoints', 'sessions', 'subscriptions', 'refunds'])
  for (const key of asked) {
    const files = filesBelow(`src/providers/${key}`)
    const definition = definitions.find((known) => known.key === key)
    // A provider of an app store sells nothing, and tells nothing of a customer.
    const isStore = definition !== undefined && bareProvider(definition).stores !== undefined
    const has = (job: string) => files.includes(`src/providers/${key}/${job}.ts`)
    t.deepEqual(
      jobs.split(' ').filter((job) => !has(job) && !(isStore && ofShops.has(job))),
      [],
      key,
    )
    const untyped = files.filter((file) =>
      /\b(raw|line|item|page)\??: Json\b/.test(readFileSync(join(root, file), 'utf8')),
    )
    t.deepEqual(untyped, [], `${key}: what is read of a payload has a type of payload.ts`)
  }
})

test('the testkit lists every provider', (t) => {
  t.deepEqual(
    definitions.map(({ key }) => key),
    providers.map(({ key }) => key),
  )
})

test('only configured parts are loaded, with each provider', async (t) => {
  // A start like every one but the first: the tables are there.
  const folder = await mkdtemp(join(tmpdir(), 'house-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const url = `sqlite:${join(folder, 'site.db')}`
  await (await openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })).close()
  const keys = providers.map(({ key }) => key)
  /** What the package alone loads, a site without a provider, and then one with each. */
  const loadedWith = async (order: readonly string[]) => {
    const sites = [{}, ...order.map(sellingBy)].map((site) => ({ ...site, 'membership.database.url': url }))
    const given = sites.map((site) => JSON.stringify(site))
    const program = programFile('loaded', { whole: false })
    const { stdout } = await run(process.execPath, [...loader, program, ...given])
    const [alone, bare, ...each]: string[][] = JSON.parse(stdout)
    return { common: [...alone!, ...bare!], of: new Map(order.map((key, i) => [key, each[i]!])) }
  }
  // What one has loaded shows with no later one: the other way around it would.
  const orders = [await loadedWith(keys), await loadedWith(keys.toReversed())]
  const foldersOf = (urls: readonly string[]) => [
    ...new Set(
      urls.flatMap((url) => /\/(testkit|providers\/[a-z]+|fakes\/(?!engine\/)[a-z]+)\//.exec(url)?.[1] ?? []),
    ),
  ]
  const all = orders.flatMap(({ common, of }) => [common, ...of.values()])
  for (const { common, of } of orders) {
    t.true(
      common.some((url) => url.includes('/providers/index.')),
      'the hook sees what is loaded',
    )
    t.deepEqual(foldersOf(common), [])
    const before = packagesIn(common)
    for (const [key, urls] of of) {
      t.deepEqual(foldersOf(urls), [`providers/${key}`], 'no other provider, and no fake server')
      t.deepEqual(
        [...packagesIn(urls)].filter((name) => !before.has(name)),
        [],
        `${key} is a provider here, and was not asked yet: no package of it`,
      )
    }
  }
  const isEngine = (url: string) => /\/(src|\.built)\/fakes\/engine\//.test(url)
  for (const { common, of } of orders)
    t.deepEqual(
      [['', common] as const, ...of].filter(([, urls]) => urls.some(isEngine)).map(([key]) => key),
      ['sandbox'],
      'only a site that sells in the sandbox loads the engine of the fakes',
    )
  const packages = packagesIn(all.flat())
  const unused = [
    'pg',
    'koa-body',
    'undici',
    '@babel/parser',
    'php-parser',
    'htmlparser2',
    'diff',
    're2js',
    'csv-parse',
    // Until the first session, the first web-standard request, and a site's first file.
    'jose',
    'light-my-request',
    'yaml',
  ]
  t.deepEqual(
    unused.filter((name) => packages.has(name)),
    [],
    'nor of a server’s driver, of forms, of the website index and of the migration, while none is asked for',
  )
  const later =
    /storage\/migrations\/0|import\/import-|rate-limiter-flexible\/index|RateLimiter(Redis|Postgres)/
  t.deepEqual(
    all.flat().filter((url) => later.test(url)),
    [],
    'nor of migrations that are applied, of an import, and of counting in stores that this site has not',
  )
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.deepEqual(
    Object.keys(peerDependencies).filter((name) => packages.has(name)),
    [],
  )
})

/** A site that sells by this provider, as its example has it; what comes from the environment is anything. */
function sellingBy(key: string): object {
  return parse(
    readFileSync(join(root, 'config', `${key}.example.yml`), 'utf8').replaceAll(
      /\$\{[A-Z_]+\}/g,
      'of_the_test',
    ),
  )
}

/** The packages that files belong to. */
function packagesIn(urls: readonly string[]): Set<string> {
  return new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
}

test('code outside the providers contains no provider’s key or secret prefix', (t) => {
  const homes = ['providers', 'fakes', 'testkit', 'migrate', 'cli', 'site/runtime']
  const keys = providers.map(({ key }) => key)
  const prefixes = definitions.flatMap(({ secrets }) => secrets?.prefixes ?? [])
  t.true(prefixes.length > 0)
  const words = new Set([...keys, ...prefixes.map((prefix) => prefix.replace(/_$/, ''))])
  // A directive of content security policies, a parameter of Piwik's, the secrets of Standard Webhooks, the pages of
  // app stores, and a tag of pages.
  const isElse = (text: string) =>
    /default-src 'none'|\|piwik\||\^?whsec_|(apps\.apple|play\.google)\.com|apple-touch-icon/.test(text)
  const found = filesBelow('src')
    .filter((file) => !homes.some((home) => file.startsWith(`src/${home}/`)))
    // The names of texts, some of which stand on the pages of one provider.
    .filter((file) => file !== 'src/generated/words.ts')
    // The types of every provider's keys, made from their schemas.
    .filter((file) => file !== 'src/generated/configuration-keys.ts')
    .flatMap((file) =>
      wordsOf(file, words)
        .filter(({ text }) => !isElse(text))
        .map(({ word }) => `${file}: ${word}`),
    )
  t.deepEqual(found, [])
})

test('providers’ words are found in texts, patterns, imports and names, but not in comments', (t) => {
  const words = new Set(['acme', 'sk'])
  const found = (code: string) => wordsIn(code, words).map(({ word }) => word)
  for (const code of [
    "const a = 'acme'",
    "import a from 'acme'",
    "import { a } from '../../providers/acme/index.ts'",
    'const a = `a.providers.acme.secret`',
    'const a = /^(?:sk|rk)_live_/',
    "const a = 'sk_live_'",
    'const a = { acme: 1 }',
    'type A = { is: "acme" }',
  ])
    t.not(found(code).length, 0, code)
  for (const code of ['// acme', '/** As acme does: `sk_live_…`. */\nconst a = 1', "const a = 'risk'"])
    t.deepEqual(found(code), [], code)
})

interface Found {
  readonly word: string
  /** The literal that it stands in. */
  readonly text: string
}

/** The words of a file's code that are among the given. */
function wordsOf(file: string, words: ReadonlySet<string>): Found[] {
  const code = readFileSync(join(root, file), 'utf8')
  return [...words].some((word) => code.includes(word)) ? wordsIn(code, words) : []
}

function wordsIn(code: string, words: ReadonlySet<string>): Found[] {
  const found: Found[] = []
  const look = (node: ts.Node): void => {
    const text =
      ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isIdentifier(node)
        ? node.text
        : ''
    for (const word of text.split(/[^A-Za-z0-9]+/)) if (words.has(word)) found.push({ word, text })
    ts.forEachChild(node, look)
  }
  look(ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest))
  return found
}

test('only the guarded module can change anything at a provider', (t) => {
  // `ProviderReader` has none of these methods, so the compiler refuses every other caller.
  const mayChange = /^src\/(providers|fakes|testkit)\/|^src\/memberships\/subscriptions\/|^src\/index\.ts$/
  // Providers are made here, and handed to the guarded module.
  const composes = 'src/site/assembly/environment.ts'
  const found = filesBelow('src')
    .filter((file) => !mayChange.test(file) && file !== composes)
    .filter((file) =>
      importedNames(file, /providers\/(contract|index)\.ts$/).some((name) =>
        /^(Provider|ChangeMethods)$/.test(name),
      ),
    )
  t.deepEqual(found, [])
  t.true(importedNames('src/memberships/subscriptions/changes.ts', /contract\.ts$/).includes('Provider'))
})

function importedNames(file: string, from: RegExp): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return []
    if (!from.test(statement.moduleSpecifier.text)) return []
    const names = statement.importClause?.namedBindings
    if (names === undefined || !ts.isNamedImports(names)) return ['Provider']
    return names.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
  })
}

test('a database is one file in storage', (t) => {
  const drivers = ['better-sqlite3', 'pg']
  for (const driver of drivers) {
    // A site's own database is opened where its rows are migrated; `node:sqlite` is given better-sqlite3's shape.
    const others = ['src/migrate/accounts/database.ts', 'src/core/storage/node-sqlite.ts']
    const users = filesBelow('src').filter(
      (file) => !others.includes(file) && readFileSync(join(root, file), 'utf8').includes(`from '${driver}'`),
    )
    t.is(users.length, 1, driver)
    t.is(dirname(users[0]!), 'src/core/storage', driver)
  }
})

test('deletion, export, merging, import and after-restore ask the modules that own a table', (t) => {
  // What they read all the same, to find an account. A further table needs a door of its owner.
  const readsOf: Record<string, readonly string[]> = {
    account: ['customers'],
    merging: ['customers', 'deletions', 'email_changes', 'grants', 'intents', 'members'],
    import: ['customers', 'deletions', 'identities', 'members', 'subscriptions'],
    'after-restore': ['deletions', 'events', 'members'],
  }
  const own: Record<string, readonly string[]> = {
    account: ['deletions', 'email_changes', 'login_links', 'merge_wishes'],
    merging: ['merges'],
  }
  for (const [module, reads] of Object.entries(readsOf)) {
    const found = filesBelow(`src/memberships/${module}`).flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /\b(?:selectFrom|innerJoin|leftJoin|count)\(\s*'([a-z_]+)/g,
        ),
      ].map(([, table]) => table!),
    )
    t.deepEqual([...new Set(found)].filter((table) => !own[module]?.includes(table)).sort(), reads, module)
  }
})

test('a spread copies something: no object is spread that is written there', (t) => {
  const files = filesBelow('src').filter((file) => file.endsWith('.ts'))
  const found = files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
    const spreads: string[] = []
    const look = (node: ts.Node): void => {
      if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) spreads.push(file)
      if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression)) spreads.push(file)
      ts.forEachChild(node, look)
    }
    look(source)
    return spreads
  })
  t.deepEqual(found, [])
})

test('a function at top level is a declaration, unless its type is named', (t) => {
  const found = ownFiles().flatMap((file) =>
    ts
      .createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
      .statements.filter(ts.isVariableStatement)
      .flatMap(({ declarationList: { declarations } }) => [...declarations])
      .filter(({ type, initializer: value }) => type === undefined && value && ts.isArrowFunction(value))
      .map(({ name }) => `${file} ${(name as ts.Identifier).text}`),
  )
  t.deepEqual(found, [])
})

test('a doc comment is one line, or lines of its own', (t) => {
  const found = ownFiles().filter((file) =>
    /^\s*\/\*\* (?!.*\*\/)/m.test(readFileSync(join(root, file), 'utf8')),
  )
  t.deepEqual(found, [], 'Write `/** Sentence. */`, or `/**` and lines that begin with ` * `.')
})

/** Fixtures are as sites wrote them, and the baseline is frozen. */
function ownFiles(): string[] {
  return ['src', 'scripts', 'test']
    .flatMap(filesBelow)
    .filter((file) => !file.startsWith('test/fixtures/') && !file.endsWith('/0001-baseline.ts'))
}

test('no function has more than 80 own lines without a reason', (t) => {
  // Tables: SQL by name, released migrations, and the shapes of answers.
  const isTable = (file: string) => /statements|\/facts\.ts$|\/migrations\/|\/openapi-paths\.ts$/.test(file)
  const reasons: Record<string, string> = {
    'src/site/assembly/services.ts createServices': 'it only says which service is given which others',
    'src/testkit/certify/life.ts live': 'the steps of one life, in their order',
  }
  const long = filesBelow('src')
    .filter((file) => !isTable(file))
    .flatMap((file) => longFunctions(file, 80).map((name) => `${file} ${name}`))
  t.deepEqual(
    long.filter((item) => !(item in reasons)),
    [],
    'give its parts names, or a reason here',
  )
  t.deepEqual(
    Object.keys(reasons).filter((key) => !long.includes(key)),
    [],
    'a reason is no longer needed',
  )
})

/**
 * The names of a file's functions that have more lines of code than that, without those of functions in them that have
 * names. Blank lines and comments are no code.
 */
function longFunctions(file: string, most: number): string[] {
  const code = readFileSync(join(root, file), 'utf8')
  if (code.split('\n').length <= most) return []
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line
  const lines = code.split('\n')
  const isCode = (line: string): boolean => !/^\s*($|\/\/|\/?\*)/.test(line)
  const linesOf = (node: ts.Node): number =>
    lines.slice(lineOf(node.getStart(source)), lineOf(node.end) + 1).filter(isCode).length
  const ownLines = (node: ts.Node): number => {
    let own = linesOf(node)
    const leaveOut = (inner: ts.Node): void => {
      if (isFunction(inner) && nameOf(inner) !== '') own -= linesOf(inner)
      else ts.forEachChild(inner, leaveOut)
    }
    ts.forEachChild(node, leaveOut)
    return own
  }
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (isFunction(node) && linesOf(node) > most && ownLines(node) > most) found.push(nameOf(node))
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

function isFunction(node: ts.Node): boolean {
  return (
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node)
  )
}

function nameOf(node: ts.Node): string {
  const { name } = node as { name?: ts.Node }
  if (name !== undefined) return name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : ''
}

/**
 * The factories that take more than a dozen needs, with the number of them. A need is one function, one value, or one
 * module's door. The list may only shrink: hand over a door in place of its functions, or split what does two things.
 */
const manyNeeds: Readonly<Record<string, number>> = {
  'src/memberships/checkout/actions.ts ActionDeps': 15,
  'src/memberships/checkout/checkout.ts CheckoutDeps': 18,
  'src/memberships/gifts/parts.ts GiftsDeps': 15,
  'src/memberships/ledger/ledger.ts LedgerDeps': 20,
  'src/memberships/mails/notices.ts NoticesDeps': 19,
  'src/office/index.ts OfficeDeps': 22,
  'src/reports/partner-side.ts PartnerSideDeps': 13,
  'src/reports/relink-requests.ts RelinkRequestsDeps': 15,
  'src/reports/reports.ts ReportsDeps': 13,
  'src/reports/router.ts ReportsRouterDeps': 19,
}

test('no factory takes more than a dozen needs, but for a list that only shrinks', (t) => {
  const found = Object.fromEntries(needsIn(filesBelow('src')).filter(([, count]) => count > 12))
  const grown = Object.keys(found).filter((key) => found[key]! > (manyNeeds[key] ?? 12))
  t.deepEqual(grown, [], 'Hand over a door of a module, or split the factory.')
  const shrunk = Object.keys(manyNeeds).filter((key) => (found[key] ?? 0) < manyNeeds[key]!)
  t.deepEqual(shrunk, [], 'These need less than listed: lower their numbers, so that the list only shrinks.')
})

/** The interfaces of needs, and what functions take as `deps`, `needs` or `given`, with their numbers of members. */
function needsIn(files: readonly string[]): [string, number][] {
  const sources = files.map((file) => ({
    file,
    source: ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
  }))
  const known = new Map<string, ts.InterfaceDeclaration[]>()
  for (const { source } of sources)
    for (const statement of source.statements)
      if (ts.isInterfaceDeclaration(statement))
        known.set(statement.name.text, [...(known.get(statement.name.text) ?? []), statement])
  /** Of several interfaces of one name, the one in the same file is meant, else the largest. */
  const membersNamed = (name: string, from: ts.Node): number => {
    const all = known.get(name) ?? []
    const near = all.filter((item) => item.getSourceFile() === from.getSourceFile())
    return Math.max(0, ...(near.length > 0 ? near : all).map(membersOf))
  }
  const membersOf = (item: ts.InterfaceDeclaration): number =>
    item.members.length +
    (item.heritageClauses ?? []).flatMap(({ types }) => types.map(membersOfType)).reduce((a, b) => a + b, 0)
  const membersOfType = (type: ts.Node): number => {
    if (ts.isTypeLiteralNode(type)) return type.members.length
    if (ts.isIntersectionTypeNode(type)) return type.types.map(membersOfType).reduce((a, b) => a + b, 0)
    const named = ts.isTypeReferenceNode(type)
      ? type.typeName
      : ts.isExpressionWithTypeArguments(type)
        ? type.expression
        : null
    if (named === null) return 0
    const [of, names] = (type as ts.TypeReferenceNode).typeArguments ?? []
    const picked = names === undefined ? 0 : ts.isUnionTypeNode(names) ? names.types.length : 1
    if (named.getText() === 'Pick') return picked
    if (named.getText() === 'Omit') return Math.max(0, membersOfType(of!) - picked)
    return membersNamed(named.getText(), type)
  }
  const isWrittenHere = (type: ts.TypeNode | undefined): type is ts.TypeNode =>
    type !== undefined && (ts.isTypeLiteralNode(type) || ts.isIntersectionTypeNode(type))
  return sources.flatMap(({ file, source }) => {
    const found: [string, number][] = []
    const look = (node: ts.Node): void => {
      if (
        ts.isInterfaceDeclaration(node) &&
        /(Deps|Needs|Given)$|^(Reacting|Delivering)$/.test(node.name.text)
      )
        found.push([`${file} ${node.name.text}`, membersOf(node)])
      if (
        ts.isParameter(node) &&
        /^(deps|needs|given)$/.test(node.name.getText()) &&
        isWrittenHere(node.type)
      )
        found.push([`${file} ${nameOf(node.parent)}`, membersOfType(node.type)])
      ts.forEachChild(node, look)
    }
    look(source)
    return found
  })
}

test('every file and folder that CONTRIBUTING.md and the map name exists', (t) => {
  const guides = ['CONTRIBUTING.md', 'src/README.md', 'src/providers/README.md', 'test/LABORATORY.md']
  const text = guides.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
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

test('no test has its own time limit, which a busy machine would exceed', (t) => {
  const limited = filesBelow('test').filter((file) =>
    readFileSync(join(root, file), 'utf8').includes(['t', 'timeout('].join('.')),
  )
  t.deepEqual(limited, [])
})

test('comments state their subject: under 3 % open with a clause, and nothing is called `one`', (t) => {
  const files = filesBelow('src').filter((file) => !file.startsWith('src/generated/'))
  const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
  const comments = texts.flatMap(([file, text]) =>
    [...text.matchAll(/\/\*\*[\s*]*([^\s*][^\n]*)/g)].map(([, first = '']) => `${file}: ${first}`),
  )
  const clauses = comments.filter((line) => /: (What|Whether|Who|Whom|Whose|How|Where|Of|That)\b/.test(line))
  t.true(comments.length > 5000)
  t.true(clauses.length / comments.length < 0.03, clauses.slice(0, 20).join('\n'))
  const called = texts.flatMap(([file, text]) =>
    /\bone\b *(=>|\.(?![. ]))|\((one)\b|(const|let) one\b/.test(
      text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, ''),
    )
      ? [file]
      : [],
  )
  t.deepEqual(called, [])
})

/**
 * The readers of a provider's status word outside the decision, by their purpose, with the number of their readings.
 * None decides about access. The list may only shrink: a new question about access belongs to `core/access`.
 */
const readers: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'the frozen decision of before, which goes with 2.1': {
    'src/memberships/upgrade/former-decision.ts': 6,
  },
  'the site’s answer, handed to the decision': {
    'src/core/config/index.ts': 1,
    'src/core/config/provider.ts': 1,
  },
  revenue: {
    'src/core/dto/recurring.ts': 2,
    'src/office/measures.ts': 4,
  },
  'the words of a subscription’s own properties, for templates': {
    'src/core/dto/rules.ts': 5,
  },
  'a sentence for people': {
    'src/core/dto/sentences.ts': 4,
    'src/core/words/sentences.ts': 5,
  },
  'which subscriptions count as a trial that somebody had': {
    'src/core/dto/trial.ts': 1,
  },
  'which subscriptions are bought twice': {
    'src/core/dto/twice.ts': 1,
  },
  'what a deletion says': {
    'src/memberships/account/leaving.ts': 1,
  },
  'which action is possible': {
    'src/memberships/checkout/action-preview.ts': 1,
    'src/memberships/checkout/actions-router.ts': 1,
    'src/memberships/checkout/actions.ts': 1,
    'src/memberships/checkout/changing.ts': 3,
    'src/memberships/checkout/offers.ts': 2,
    'src/memberships/checkout/pausing.ts': 2,
    'src/memberships/checkout/paying.ts': 2,
    'src/memberships/checkout/prospect.ts': 2,
    'src/memberships/checkout/single-action.ts': 1,
  },
  'which renewals can be put off': {
    'src/memberships/gifts/settling.ts': 1,
  },
  'which team a buyer continues': {
    'src/memberships/groups/groups.ts': 1,
  },
  'which change is notified': {
    'src/memberships/hooks/difference.ts': 12,
    'src/memberships/hooks/notifier.ts': 1,
    'src/memberships/hooks/reminders.ts': 4,
  },
  'how a message becomes the stored state': {
    'src/memberships/ledger/acceptance.ts': 1,
    'src/memberships/ledger/arrears.ts': 1,
    'src/memberships/ledger/pauses.ts': 1,
    'src/memberships/ledger/subscriptions.ts': 6,
  },
  'what a mail says': {
    'src/memberships/mails/charges.ts': 2,
    'src/memberships/mails/kinds/cancellation.ts': 2,
    'src/memberships/mails/kinds/card-expiring.ts': 1,
    'src/memberships/mails/kinds/payment-failed.ts': 2,
    'src/memberships/mails/kinds/trial-ended.ts': 1,
  },
  'which action a page offers': {
    'src/memberships/members/action.ts': 3,
    'src/memberships/members/arrears.ts': 1,
    'src/memberships/members/customers.ts': 1,
    'src/memberships/members/user.ts': 1,
    'src/memberships/members/users.ts': 1,
  },
  'who can be raised now': {
    'src/memberships/raises/decide.ts': 2,
  },
  'which memberships the form lists': {
    'src/memberships/shop/declarations.ts': 1,
  },
  'which end a provider was asked for': {
    'src/memberships/subscriptions/changes.ts': 1,
  },
  'who can move to another provider': {
    'src/memberships/switching/plan.ts': 3,
    'src/memberships/switching/switched-members.ts': 1,
  },
  'the record of trials': {
    'src/memberships/trials/trials.ts': 2,
  },
  'figures, lists and buttons for operators': {
    'src/office/figures.ts': 3,
    'src/office/member-actions.ts': 1,
    'src/office/member-page.ts': 2,
    'src/office/members-list.ts': 2,
    'src/office/money-list.ts': 1,
    'src/office/recent.ts': 3,
    'src/office/website-index-actions.ts': 1,
  },
  'the rules, handed to the decision': {
    'src/site/assembly/member-services.ts': 5,
  },
  'the notice about an open payment': {
    'src/site/assembly/request-context.ts': 1,
  },
  'asks the decision itself': {
    'src/site/doctor/purchases.ts': 1,
  },
  'a report about the configuration': {
    'src/site/doctor/running.ts': 1,
  },
  'what a page says and offers': {
    'src/site/pages/account-words.ts': 3,
    'src/site/pages/page-forms.ts': 8,
  },
}

// Comparisons with a status word, and the two settings that only the decision may weigh.
const statusWords =
  /\bstatus (?:===|!==) '(?:trialing|past_due|unpaid|incomplete|paused|active)'|\b(?:cancels_early|openWhilePaused|openUntilPaid)\b/g

test('access is decided in one place: nothing else begins to read a status word', (t) => {
  const found = Object.fromEntries(
    filesBelow('src')
      .filter(
        (file) => !/^src\/(providers|fakes|migrate|testkit|core\/access|reports|generated)\//.test(file),
      )
      .map((file) => [file, readingsIn(readFileSync(join(root, file), 'utf8'))] as const)
      .filter(([, count]) => count > 0),
  )
  const listed = Object.fromEntries(Object.values(readers).flatMap((files) => Object.entries(files)))
  const grown = Object.keys(found).filter((file) => found[file]! > (listed[file] ?? 0))
  t.deepEqual(grown, [], 'Ask `openingOf` or `decideGate` of core/access instead.')
  const shrunk = Object.keys(listed).filter((file) => (found[file] ?? 0) < listed[file]!)
  t.deepEqual(shrunk, [], 'These read less than listed: lower their numbers, so that the list only shrinks.')
})

test('a second reading of a status word is found, but not in comments', (t) => {
  t.is(readingsIn("const isOpen = s.status === 'active' || rules.openWhilePaused?.has(s.provider)"), 2)
  t.is(readingsIn("if (status !== 'past_due') return"), 1)
  t.is(readingsIn("// s.status === 'active'\n/* cancels_early */ const status = 'active'"), 0)
})

// Orders of two amounts of money. One with 0 asks if something was free, and `limits.ts` counts pieces and uses.
const orders = /\bamount\b[^\n;=<>&|{]*?\s(?:<=?|>=?)\s+(?!0\b)[\w.(]/

test('no amount that was charged is compared to decide access', (t) => {
  const found = filesBelow('src/core/access').flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
      .split('\n')
      .filter((line) => orders.test(line))
      .map(() => file),
  )
  t.deepEqual(
    found.filter((file) => !file.endsWith('/limits.ts')),
    // `isPlannedLower` orders two list prices, as they were sold: a planned cheaper price renews what was paid.
    ['src/core/access/opening.ts'],
  )
  t.regex('if (paid.amount < price.amount)', orders)
  t.notRegex('if (p.amount > 0)', orders)
})

function readingsIn(text: string): number {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '').match(statusWords)?.length ?? 0
}

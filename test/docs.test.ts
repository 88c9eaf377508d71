import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import test from 'ava'
import { withAccessSummary, withAccessTable } from '../scripts/access-table.ts'
import { withBounds } from '../scripts/bounds-table.ts'
import { withTable } from '../scripts/configuration-table.ts'
import { hosts } from '../scripts/hosts/hosts.ts'
import { readRuns } from '../scripts/hosts/record.ts'
import { countsIn, withRuns } from '../scripts/hosts/table.ts'
import { clientTypes, openapiDocument } from '../scripts/openapi.ts'
import { withPersonalTables } from '../scripts/privacy-table.ts'
import {
  describeAll,
  withCertified,
  withLacks,
  withNotes,
  withProviders,
} from '../scripts/provider-tables.ts'
import { errorStatus, refusalReasons } from '../src/core/errors.ts'
import { bareProvider } from '../src/providers/bare.ts'
import type { ProviderDefinition, ProviderEvent } from '../src/providers/contract.ts'
import { providers } from '../src/providers/index.ts'
import { stripe } from '../src/providers/stripe/index.ts'
import { partsIn, withReports } from './bench/report.ts'
import type { ProviderCase } from './providers/case.ts'
import { cases } from './providers/cases.ts'
import { sellers } from './simulation/sellers.ts'
import { openHost } from './support/host.ts'
import { stripeCorpus } from './support/stripe-corpus.ts'

const read = (name: string) => readFile(join(import.meta.dirname, '..', name), 'utf8')

test('docs/configuration.md lists every key of the schema (mend: npm run docs)', async (t) => {
  const page = await read('docs/configuration.md')
  t.is(page, withTable(page))
  t.regex(page, /`membership\.ratelimit\.limit` \| `30`/)
})

/** The kind of each page by its links in that text: tutorial, guides, reference or explanation. */
const kindsIn = (groups: readonly { kind: string; pages: readonly string[] }[]) =>
  Object.fromEntries(groups.flatMap(({ kind, pages }) => pages.map((page) => [page, kind.split(':')[0]])))

test('each page is of one kind, and the README and the docs site list it there', async (t) => {
  const [, list = ''] = (await read('README.md')).split('\n## Documentation\n')
  const rows = [...list.matchAll(/^\| (Tutorial|Guides: [^|]+|Reference|Explanation) \| (.*) \|$/gm)].map(
    ([, kind = '', links = '']) => ({
      kind,
      pages: [...links.matchAll(/\]\(docs\/([\w/-]+)\.md\)/g)].map(([, page = '']) => page),
    }),
  )
  const pages = readdirSync(join(import.meta.dirname, '../docs'))
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => name.slice(0, -'.md'.length))
  const listed = rows.flatMap((row) => row.pages)
  t.deepEqual(listed.toSorted(), [...pages, 'providers/README'].sort())
  const sidebar = JSON.parse(await read('docs/.vitepress/sidebar.json')) as {
    text: string
    pages: Record<string, string>
  }[]
  const onSite = sidebar.map((kind) => ({
    kind: kind.text,
    pages: Object.values(kind.pages).filter((page) => !page.startsWith('api/')),
  }))
  t.deepEqual(kindsIn(onSite), kindsIn(rows))
  t.deepEqual(kindsIn(rows).start, 'Tutorial')
})

test('each install line installs the tarball of this version, which needs no registry', async (t) => {
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  const folders = ['', 'docs/', 'docs/providers/']
  const names = folders.flatMap((folder) =>
    readdirSync(join(import.meta.dirname, '..', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => folder + name),
  )
  const tarballs: string[] = []
  for (const name of names) {
    const page = await read(name)
    t.notRegex(page, /^npm i(nstall)? .*(?<= )membership(@\S+)?( |$)/m, name)
    t.notRegex(page, /(until|once|when) it is published/i, name)
    tarballs.push(...[...page.matchAll(/membership-(\d[\w.-]*)\.tgz/g)].map(([, found = '']) => found))
  }
  t.true(tarballs.length > 10)
  t.deepEqual([...new Set(tarballs)], [version])
})

test('the README shows a picture, a table beside others and the commands within its first screen', async (t) => {
  const screen = (await read('README.md')).split('\n').slice(0, 45).join('\n')
  const places = [
    '![The demo',
    '| better-auth + Stripe plugin | Laravel Cashier | Ghost |',
    'npm ci && npm start',
    ' init ../my-site',
  ]
  const found = places.map((text) => screen.indexOf(text))
  t.false(found.includes(-1), found.join())
  t.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  )
})

test('the landing page shows the demo, ten lines of code, each provider and a command', async (t) => {
  const page = await read('docs/index.md')
  t.regex(page, /!\[The demo[^\]]*\]\(demo\.webp\)/)
  const [, code = ''] = /^```ts no-run\n([\s\S]*?)^```$/m.exec(page) ?? []
  t.true(code.split('\n').filter((line) => line !== '').length <= 15)
  for (const { key } of providers) if (key !== 'sandbox') t.true(page.includes(`](providers/${key}.md)`), key)
  t.regex(page, /## Run it\n\n<!-- walk: .* -->\n```sh\nnpm ci && npm start\n```/)
})

test('tables of measurements stand on the pages that explain, not in guides', async (t) => {
  const explains = ['performance.md', 'tested.md']
  for (const name of readdirSync(join(import.meta.dirname, '../docs')))
    if (name.endsWith('.md') && !explains.includes(name)) {
      const measured = (await read(`docs/${name}`)).match(
        /^\|.*\b(\d ?(ms|µs|events\/s)\b|p50\b|p99\b|\d\.\d s\b).*$/m,
      )
      t.is(measured?.[0], undefined, name)
    }
})

test('documents publish ratios, no microseconds and no rates of one machine', async (t) => {
  const folder = join(import.meta.dirname, '../docs')
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(api|node_modules|\.vitepress)\//.test(name))
    .map((name) => `docs/${name}`)
  const absolute =
    /^.*(?:µs|\bevents\/s\b|\d \/s\b|\bCPU(?: \w+)?,? ms\b|\d ns\b|\d (?:events|messages) a second\b).*$/m
  for (const name of ['README.md', ...pages]) {
    const text = (await read(name)).replaceAll(/^```[\s\S]*?^```$/gm, '')
    t.is(absolute.exec(text)?.[0], undefined, name)
  }
})

test('npm run bench -- --write finds the tables of docs/performance.md and puts new ones there', async (t) => {
  const page = await read('docs/performance.md')
  const parts = partsIn(page)
  t.true(parts.includes('webhooks'))
  t.is(new Set(parts).size, parts.length)
  const measured = new Map([['floor', ['| database | of the sum |\n|---|---|\n| SQLite | 9.87 |']]])
  const written = withReports(page, measured, 'Commit `1234abcd`.')
  t.deepEqual(partsIn(written), parts)
  t.regex(
    written,
    /<!-- bench floor -->\n\| database .*\n.*\n\| SQLite \| 9\.87 \|\n\nCommit `1234abcd`\.\n<!-- \/bench -->/,
  )
  const without = (text: string) => text.replace(/<!-- bench floor -->[\s\S]*?<!-- \/bench -->/, '')
  t.is(without(written), without(page))
  t.throws(() => partsIn(page.replace('<!-- /bench -->', '')), { message: /needs a <!-- \/bench -->/ })
  t.throws(() => partsIn('# Nothing'))
})

test('docs/members.md says what each kind of session may do on every route (mend: npm run docs)', async (t) => {
  const page = await read('docs/members.md')
  t.is(page, await withAccessTable(page))
  t.regex(
    page,
    /`POST \/membership\/account\/delete` \| asked to log in \| asked to log in with a link \| yes \|/,
  )
})

test('the README summarises each kind of session in a few lines and omits no route (mend: npm run docs)', async (t) => {
  const page = await read('README.md')
  t.is(page, await withAccessSummary(page))
  t.regex(
    page,
    /\| asked to log in \| asked to log in with a link \| yes \| [^|]*`(GET, )?POST account\/delete`/,
  )
  const full = await read('docs/members.md')
  const routes = [...full.matchAll(/^\| `(\S+) \/membership\/(\S+)`/gm)]
  t.true(routes.length > 40)
  for (const [, method = '', path = ''] of routes)
    t.true(
      [...page.matchAll(/`([A-Z, *]+) (\S+)`/g)].some(
        ([, methods, named]) => named === path && methods?.split(', ').includes(method),
      ),
      `${method} ${path}`,
    )
})

test('docs/hosts.md shows the recorded runs of every host (mend: npm run hosts -- --record)', async (t) => {
  const page = await read('docs/hosts.md')
  const runs = readRuns()
  t.is(page, withRuns(page, runs))
  for (const [name, { title, fromNode }] of Object.entries(hosts)) {
    const walks = runs.hosts[name] ?? {}
    t.true(page.includes(`\n| ${title} | yes | yes | yes |`), name)
    for (const node of Object.keys(walks)) t.true(Number.parseInt(node, 10) >= (fromNode ?? 20), name)
  }
})

test('the summary of the suite’s runner counts correctly, also after a failure', (t) => {
  t.deepEqual(countsIn('  ✔ one\n  ✔ two\n  ─\n\n  2 tests passed\n  1 test skipped\n'), {
    passed: 2,
    failed: 0,
    skipped: 1,
  })
  t.deepEqual(countsIn('  ✔ one\n  ✘ two\n  ✘ a.js exited due to SIGABRT\n  ─\n\n  1 test failed\n'), {
    passed: 1,
    failed: 2,
    skipped: 0,
  })
})

test('docs/dependencies.md states the cost and benefit of every dependency', async (t) => {
  const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> }
  const page = await read('docs/dependencies.md')
  const named = [...page.matchAll(/^\| ([^|]+) \| \d+ \| [^|]{10,} \| [^|]+ \|$/gm)].flatMap(
    ([, names = '']) => names.split(', '),
  )
  t.deepEqual(named.sort(), Object.keys(dependencies).sort())
})

test('docs/openapi.json describes every route, and the client is made from it (mend: npm run docs)', async (t) => {
  const document = await openapiDocument()
  t.is(await read('docs/openapi.json'), document)
  t.is(await read('src/generated/client-paths.ts'), await clientTypes(document))
  const file = join(import.meta.dirname, '..', 'docs/openapi.json')
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended'] }) })
  t.deepEqual(
    problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  )
})

test('the tables of providers show each one’s capabilities and reasons for gaps (mend: npm run docs)', async (t) => {
  const described = await describeAll()
  for (const { definition, unexplained, outdated } of described) {
    t.deepEqual(unexplained, [], `${definition.key} cannot do this, and its \`lacks\` do not say why`)
    t.deepEqual(outdated, [], `${definition.key} can do this, and its \`lacks\` say why not`)
  }
  const readme = await read('README.md')
  t.is(readme, withProviders(readme, described))
  for (const { key } of providers) t.true(readme.includes(`](docs/providers/${key}.md) |`), key)
  const operating = await read('docs/operating.md')
  t.is(operating, withBounds(operating, described))
  const privacy = readFileSync('docs/privacy.md', 'utf8')
  t.is(privacy, withPersonalTables(privacy))
  const index = await read('docs/providers/README.md')
  t.is(index, withNotes(index, described))
  for (const item of described) {
    const page = await read(`docs/providers/${item.definition.key}.md`)
    t.is(page, withCertified(withLacks(page, item), item), item.definition.key)
  }
})

test('the tables’ claims about immediate changes match every provider’s behaviour', async (t) => {
  for (const { definition, lacks } of await describeAll()) {
    if (bareProvider(definition).stores !== undefined) continue
    const seller = sellers.find(({ key }) => key === definition.key)
    t.is(lacks.includes('change_now'), seller?.changesWhenPaid === true, definition.key)
  }
})

const headings = ['What to click', 'Events', 'Keys, and where they go', 'What it cannot do', 'How to try it']

test('every provider has a page, and all pages have the same headings', async (t) => {
  const pages = readdirSync(join(import.meta.dirname, '../docs/providers')).filter(
    (name) => name !== 'README.md',
  )
  t.deepEqual(pages.sort(), providers.map(({ key }) => `${key}.md`).sort())
  for (const name of pages) {
    const page = await read(`docs/providers/${name}`)
    t.deepEqual(
      [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
      headings,
      name,
    )
    t.regex(page, /^# \w/, name)
  }
})

/** What the list of events on a page names: `order.*` is every type that begins with `order.`. */
const namedOn = (page: string): { name: string; pattern: RegExp }[] => {
  const [, list = ''] = /^## Events\n([\s\S]*?)^## /m.exec(page) ?? []
  const lines = list.split('\n').filter((line) => line.startsWith('- '))
  return lines
    .flatMap((line) => [...line.replace(/: .*/, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
    .map((name) => ({ name, pattern: new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '.+')}$`) }))
}

const corpus = new URL('../../shared/corpora/webhooks/', import.meta.url)

/** Messages of a provider: what its tests were given, and public ones. */
const messagesOf = ({
  definition: { key },
  events,
  story,
  told = [],
  isNoEvent,
  delivered,
}: ProviderCase): string[] => {
  const folder = new URL(`${key}/`, corpus)
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => !isNoEvent?.(file)) : []
  const published = files.map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    return delivered?.(file, JSON.parse(text)) ?? JSON.parse(text)
  })
  const { subscribes, cancels, ends, buys, refunds } = story
  const written = [...events, ...told.map(([, message]) => message), subscribes, cancels, ends, buys, refunds]
  return [...written.flat(), ...published].map((message) => JSON.stringify(message))
}

const heard: readonly { definition: ProviderDefinition; messages: readonly string[] }[] = [
  ...cases.map((item) => ({ definition: item.definition, messages: messagesOf(item) })),
  { definition: stripe, messages: (stripeCorpus() ?? []).map(({ body }) => body.toString()) },
]

for (const { definition, messages } of heard)
  test(`the page of ${definition.key} names exactly the events that are read`, async (t) => {
    const provider = bareProvider(definition)
    const events = messages.flatMap((text) => provider.read({ body: Buffer.from(text), headers: {} }))
    const telling = new Set(
      events.filter((event) => provider.changes(event).length > 0).map(({ type }) => type),
    )
    if (messages.length === 0) {
      t.log('skipped: the folder with public payloads is not beside the project')
      t.pass()
    }
    const named = namedOn(await read(`docs/providers/${definition.key}.md`))
    for (const type of telling)
      t.true(
        named.some(({ pattern }) => pattern.test(type)),
        `${type} is read, and not named`,
      )
    // A type of which there is no message here is read as another that tells the same kind of object.
    for (const { name, pattern } of messages.length > 0 ? named : []) {
      const isTold = [...telling].some((type) => pattern.test(type))
      const reads = (event: ProviderEvent) => provider.changes({ ...event, type: name }).length > 0
      t.true(isTold || events.some(reads), `${name} is named, and not read`)
    }
  })

test('every error code has its page, and a problem’s type leads there', async (t) => {
  const docs = await read('docs/errors.md')
  const { site, hook } = await openHost(t)
  for (const [code, status] of Object.entries(errorStatus)) {
    t.regex(docs, new RegExp(`^## ${code}$`, 'm'))
    const page = await fetch(`${site}/membership/errors/${code}`)
    t.is(page.status, 200, code)
    t.regex(await page.text(), new RegExp(`HTTP ${status}`), code)
  }
  for (const reason of refusalReasons) t.true(docs.includes(`| \`${reason}\` |`), reason)
  const { type } = (await (await fetch(hook, { method: 'POST', body: '{}' })).json()) as { type: string }
  t.is((await fetch(new URL(type, site))).status, 200)
})

test('MIGRATION.md names every v1 key of the contract with its v2 key', async (t) => {
  const text = await read('MIGRATION.md')
  for (const key of ['secret', 'webhook', 'checkout', 'metadata'])
    t.true(text.includes(`| \`membership.stripe.${key}\` | \`membership.providers.stripe.${key}\` |`), key)
  t.true(text.includes('| `membership.manageUsers.role` | `membership.members.roles`'))
  t.true(text.includes('| `membership.provider.current` | `membership.provider.handler` |'))
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import test from 'ava'
import { parse } from 'yaml'
import { withAccessTable } from '../scripts/access-table.ts'
import { withBounds } from '../scripts/bounds-table.ts'
import {
  configGroups,
  configurationPage,
  fileOf,
  groupOf,
  listedKeys,
  withConfigurationGroups,
} from '../scripts/configuration-pages.ts'
import { contents } from '../scripts/configuration-table.ts'
import { withErrorTitles } from '../scripts/error-titles.ts'
import { withFields } from '../scripts/field-tables.ts'
import { withHookPayloads } from '../scripts/hook-payloads.ts'
import { hosts } from '../scripts/hosts/hosts.ts'
import { readRuns } from '../scripts/hosts/record.ts'
import { countsIn, withRuns } from '../scripts/hosts/table.ts'
import { withLifecycles, withSituations } from '../scripts/lifecycle-tables.ts'
import { clientTypes, openapiDocument } from '../scripts/openapi.ts'
import { withPersonalTables } from '../scripts/privacy-table.ts'
import { filesOfKind, groupsOf, measuresOf, problemsOfGuide } from '../scripts/prose/measure.ts'
import { repeatedSentences } from '../scripts/prose/repeated.ts'
import {
  describeAll,
  withCertified,
  withEvents,
  withLacks,
  withNotes,
  withOverview,
} from '../scripts/provider-tables.ts'
import { withReportsOfOthers } from '../scripts/reports-table.ts'
import { configKeys, env, isTopKey, loadConfig } from '../src/core/config/index.ts'
import { errorStatus, refusalReasons } from '../src/core/errors.ts'
import { afterHookNames, beforeHookNames } from '../src/memberships/hooks/hook-events.ts'
import { bareProvider } from '../src/providers/bare.ts'
import type { ProviderDefinition, ProviderEvent } from '../src/providers/contract.ts'
import { providers } from '../src/providers/index.ts'
import { stripe } from '../src/providers/stripe/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { partsIn, withReports } from './bench/report.ts'
import type { ProviderCase } from './providers/case.ts'
import { cases } from './providers/cases.ts'
import { sellers } from './simulation/sellers.ts'
import { openHost } from './support/host.ts'
import { stripeCorpus } from './support/stripe-corpus.ts'

function read(name: string) {
  return readFile(join(import.meta.dirname, '..', name), 'utf8')
}

test('every key of the schema stands once on the page of its group (mend: npm run docs)', async (t) => {
  const page = await read('docs/configuration.md')
  t.is(page, withConfigurationGroups(page))
  const pages = await Promise.all(configGroups.map((group) => read(`docs/reference/${fileOf(group)}`)))
  for (const [index, group] of configGroups.entries())
    t.is(pages[index], configurationPage(group), group.name)
  const shown = pages.flatMap((text) =>
    [...text.matchAll(/^\| `(membership\.[^`]+)`/gm)].map(([, key]) => key),
  )
  t.deepEqual(
    shown.toSorted(),
    listedKeys()
      .map(({ key }) => key)
      .toSorted(),
  )
  t.true(pages.join('\n').includes('| `membership.ratelimit.limit`<br>default: `30` |'))
})

test('each key of the configuration has one group, and each group only keys that are there', (t) => {
  for (const { key } of configKeys(definitions)) t.not(groupOf(key), undefined, `${key} has no group`)
  const keys = configGroups.flatMap((group) => group.keys)
  t.is(new Set(keys).size, keys.length)
  for (const key of keys) t.true(isTopKey(key), key)
})

test('a key of a provider’s plan that no page lists is a key of a plan, with the same meaning', (t) => {
  const keys = configKeys(definitions).filter(({ isSection }) => !isSection)
  const listed = new Set(listedKeys().map(({ key }) => key))
  const left = keys.filter(({ key }) => !listed.has(key))
  t.true(left.length > 20)
  for (const { key, description, default: value } of left) {
    const twin = keys.find((item) => item.key === key.replace('.providers.{provider}.plans.', '.plans.'))
    t.true(listed.has(twin?.key ?? ''), key)
    t.is(twin?.description, description, key)
    t.deepEqual(twin?.default, value, key)
  }
})

for (const group of configGroups)
  test(`the example of the configuration loads: ${group.name}`, async (t) => {
    const { config } = await loadConfig({
      options: parse(group.example),
      root: false,
      definitions,
      env: {
        MEMBERSHIP_SECRET: 'a'.repeat(32),
        STRIPE_SECRET: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
      },
    })
    t.truthy(config)
  })

const root = join(import.meta.dirname, '..')

test('the sidebar and docs/contents.md list every page once (mend: npm run docs)', async (t) => {
  const folders = ['', 'providers/', 'reference/']
  const pages = folders.flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md') && !['index.md', 'contents.md'].includes(name))
      .map((name) => folder + name.slice(0, -'.md'.length)),
  )
  const listed = groupsOf(root).flatMap((group) => Object.values(group.pages))
  t.deepEqual(listed.filter((page) => !page.startsWith('api/')).sort(), pages.sort())
  t.is(await read('docs/contents.md'), contents())
  t.true((await read('README.md')).includes('](docs/contents.md)'))
})

test('a guide is short and begins with an example, and holds no script of this repository', async (t) => {
  const guides = filesOfKind(root, 'guide')
  t.true(guides.length >= 40)
  const problems = await Promise.all(guides.map(async (file) => problemsOfGuide(file, await read(file))))
  t.deepEqual(problems.flat(), [])
})

test('a page that tells users what to do names no script of this repository', async (t) => {
  for (const file of filesOfKind(root, 'guide')) t.is(measuresOf(await read(file)).ownScripts, 0, file)
})

test('a long page, a wide table and a late example of a guide are found', (t) => {
  const words = (count: number) => 'word '.repeat(count)
  const code = '```sh\nls\n```\n'
  const find = (text: string) => problemsOfGuide('a.md', text).join()
  t.is(find(`# A\n\n${words(60)}\n\n${code}\n${words(60)}`), '')
  t.regex(find(`# A\n\n${words(90)}\n\n${code}`), /90 words before the first example|91 words before/)
  t.regex(find(`# A\n\n${code}\n${words(200)}`), /an example for 201 words/)
  t.regex(find(`# A\n\n${code.repeat(9)}\n${words(901)}`), /902 words, at most 900/)
  t.regex(find(`${code}\n| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n`), /a table of 4 columns/)
  t.regex(find('# A\n\nwords'), /no example/)
  const made = (text: string) => `<!-- rules -->\n${text}\n<!-- /rules -->`
  t.is(find(`${code}\n${made(words(901))}`), '')
  t.regex(find(`${made(words(90))}\n${code}`), /90 words before/)
  t.regex(find(`${code}\nRun \`npm run bench\`.`), /of this repository/)
})

test('a sentence that stands in two guides is found, unless readers need one of them', (t) => {
  const sentence = 'The site keeps what was paid for until the end of its period.'
  const page = (file: string, alternatives: string | null = null) => ({
    file,
    text: `# A\n\n- ${sentence}\n`,
    alternatives,
  })
  t.regex(
    repeatedSentences([page('a.md'), page('b.md')]).join(),
    /^a\.md and b\.md: repeated: “the site keeps/,
  )
  t.regex(repeatedSentences([page('a.md', 'Frameworks'), page('b.md', 'Providers')]).join(), /repeated/)
  t.deepEqual(repeatedSentences([page('a.md', 'Frameworks'), page('b.md', 'Frameworks')]), [])
  const made = `<!-- rules -->\n${sentence}\n<!-- /rules -->`
  t.deepEqual(repeatedSentences([page('a.md'), { ...page('b.md'), text: made }]), [])
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

test('the README is short, and shows a picture, an example and the commands within its first screen', async (t) => {
  const page = await read('README.md')
  t.true(measuresOf(page).words <= 500, String(measuresOf(page).words))
  t.deepEqual(measuresOf(page).tables, [])
  const screen = page.split('\n').slice(0, 50).join('\n')
  const places = [
    '![The demo',
    'app.use(m.koa())',
    '](docs/compare.md)',
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

test('the landing page has one sentence, two buttons, code in tabs, twelve tasks and the demo', async (t) => {
  const page = await read('docs/index.md')
  t.is(page.match(/<a class="button/g)?.length, 2)
  const tabs = [...page.matchAll(/^```tsx? (?:no-run )?\[([^\]]+)\]$/gm)].map(([, name]) => name)
  t.deepEqual(tabs, ['Koa', 'Express', 'Hono', 'Next', 'Stripe', 'Paddle', 'Mollie'])
  const [, tasks = ''] = page.split('## What do you want to do?\n')
  t.is(tasks.split('\n## ')[0]?.match(/^- \[/gm)?.length, 12)
  t.regex(page, /!\[The demo[^\]]*\]\(demo\.webp\)/)
  t.regex(page, /## Try the demo\n[\s\S]*<!-- walk: .* -->\n```sh\nnpm ci && npm start\n```/)
  t.true(measuresOf(page).words < 200)
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
  t.regex(page, /\*\*A verified session [^*]*\*\*\n\n(- .*\n)*- `GET, POST \/membership\/account\/delete`\n/)
  t.regex(page, /`GET \/membership\/account` \| asked to log in \| what this session bought \| yes \|/)
})

test('docs/tested.md shows the recorded runs of every host (mend: npm run hosts -- --record)', async (t) => {
  const page = await read('docs/tested.md')
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
  const overview = await read('docs/providers/README.md')
  t.is(overview, withOverview(overview, described))
  for (const { key } of providers) t.true(overview.includes(`](${key}.md) |`), key)
  const operating = await read('docs/operating.md')
  t.is(operating, withBounds(operating, described))
  const privacy = readFileSync('docs/privacy.md', 'utf8')
  t.is(privacy, withPersonalTables(privacy))
  const capabilities = await read('docs/provider-capabilities.md')
  t.is(capabilities, withNotes(capabilities, described))
  for (const item of described) {
    const page = await read(`docs/providers/${item.definition.key}.md`)
    const { key } = item.definition
    t.is(page, withEvents(withSituations(withCertified(withLacks(page, item), item), key), key), key)
  }
  const tested = await read('docs/tested.md')
  t.is(tested, withReportsOfOthers(withLifecycles(tested)))
})

for (const [name, count] of [
  ['faults of access', 24],
  ['facts', 32],
] as const)
  test(`each row of the table “${name}” in docs/tested.md names tests that exist`, async (t) => {
    const [, table = ''] =
      new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!--`).exec(await read('docs/tested.md')) ?? []
    const rows = table.trim().split('\n').slice(2)
    t.is(rows.length, count)
    for (const row of rows) {
      const tests = [...row.matchAll(/`([^`]+\.ts)`: `([^`]+)`/g)]
      t.not(tests.length, 0, row)
      for (const [, file, title = ''] of tests) {
        const begins = title.replace(/…$/, '')
        t.regex(await read(`test/${file}`), new RegExp(`['\`]${begins}${begins === title ? "'" : ''}`), row)
      }
    }
  })

test('the tables’ claims about immediate changes match every provider’s behaviour', async (t) => {
  for (const { definition, lacks } of await describeAll()) {
    if (bareProvider(definition).stores !== undefined) continue
    const seller = sellers.find(({ key }) => key === definition.key)
    t.is(lacks.includes('change_now'), seller?.changesWhenPaid === true, definition.key)
  }
})

const headings = [
  'Configure',
  'What to click',
  'How to try it',
  'Events',
  'What it cannot do',
  'Good to know',
  'When something goes wrong',
]

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

for (const { key } of providers)
  test(`the page of ${key} begins with a configuration that the site accepts`, async (t) => {
    const [, code = ''] =
      /^## Configure\n\n```ts no-run\n(\/\/ membership\.config\.ts\n[\s\S]*?)^```$/m.exec(
        await read(`docs/providers/${key}.md`),
      ) ?? []
    const variables = [...code.matchAll(/\benv\('(\w+)'\)/g)].map(([, name = '']) => name)
    const [, options = ''] = /^export default (\{[\s\S]*?^\}) satisfies MembershipOptions$/m.exec(code) ?? []
    const { config } = await loadConfig({
      root: false,
      options: new Function('env', `return ${options}`)(env),
      env: Object.fromEntries(
        variables.map((name) => [name, name === 'SITE_URL' ? 'https://example.com' : 'of_the_page']),
      ),
      definitions,
    })
    t.deepEqual(Object.keys(config.providers), [key])
    t.true((config.providers[key]?.plans.pro?.prices.length ?? 0) > 0)
  })

const frameworkHeadings = [
  'Install',
  'Configure',
  'Mount',
  'Gate a page',
  'Sell',
  'Your own login',
  'When something goes wrong',
]

const servers = ['koa', 'express', 'fastify', 'hono', 'next', 'nest', 'node']
const metaFrameworks = ['sveltekit', 'astro', 'nuxt', 'react-router', 'payload', 'strapi']

test('every framework has a page with the same headings', async (t) => {
  for (const name of [...servers, ...metaFrameworks]) {
    const page = await read(`docs/${name}.md`)
    t.deepEqual(
      [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
      frameworkHeadings,
      name,
    )
  }
})

/** What the list of events on a page names: `order.*` is every type that begins with `order.`. */
function namedOn(page: string): { name: string; pattern: RegExp }[] {
  const [, list = ''] = /^## Events\n([\s\S]*?)^## /m.exec(page) ?? []
  const lines = list.split('\n').filter((line) => line.startsWith('- '))
  return lines
    .flatMap((line) => [...line.replace(/: .*/, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
    .map((name) => ({ name, pattern: new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '.+')}$`) }))
}

const corpus = new URL('../../shared/corpora/webhooks/', import.meta.url)

/** Messages of a provider: what its tests were given, and public ones. */
function messagesOf({
  definition: { key },
  events,
  story,
  told = [],
  isNoEvent,
  delivered,
}: ProviderCase): string[] {
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

/** File that throws ERR_BUSY → the word that begins its reason on the page. */
const busyReasons: Readonly<Record<string, string>> = {
  'core/http/raw-body.ts': 'Webhook bodies',
  'core/http/waiting.ts': 'A slow database',
  'core/storage/retry-on-conflict.ts': 'A team',
  'memberships/catalogue/catalogue.ts': 'Prices',
  'memberships/downloads/feeds.ts': 'The address of a feed',
  'memberships/limits/limits.ts': 'A limit',
  'memberships/sync/budget.ts': 'Calls to a provider',
  'memberships/webhooks/pings.ts': 'Unsigned pings',
  'reports/entries/entries.ts': 'A website of the index',
  'reports/operator/relink.ts': 'A website of the index',
  'reports/preview/refusals.ts': 'Uploaded pictures',
}

test('docs/errors.md names every reason of ERR_BUSY', async (t) => {
  const source = join(root, 'src')
  const throwing = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => readFileSync(join(source, name), 'utf8').includes("new MembershipError('ERR_BUSY'"))
  t.deepEqual(throwing.map((name) => name.replaceAll('\\', '/')).sort(), Object.keys(busyReasons))
  const page = await readFile(join(root, 'docs/errors.md'), 'utf8')
  const section = page.split('\n## ').find((text) => text.startsWith('ERR_BUSY')) ?? ''
  const named = [...section.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, name]) => name).sort()
  t.deepEqual(named, [...new Set(Object.values(busyReasons))].sort())
})

test('the reference has the fields of each hook (mend: npm run docs)', async (t) => {
  const page = await read('docs/reference/what-happens-in-hooks.md')
  t.is(page, withHookPayloads(page))
  for (const name of [...afterHookNames, ...beforeHookNames]) t.true(page.includes(`| \`${name}\` |`), name)
  t.regex(page, /\| `trial\.ending` \| `subscription`, `charged_at` \|/)
})

test('the reference has the fields of a subscription and a payment (mend: npm run docs)', async (t) => {
  const page = await read('docs/reference/fields.md')
  t.is(page, withFields(page))
  t.regex(page, /^\| `cancel_at_period_end` \| true or false \| /m)
})

test('each error has the title of its page as a heading (mend: npm run docs)', async (t) => {
  const page = await read('docs/errors.md')
  t.is(page, withErrorTitles(page))
  t.regex(page, /^## ERR_CSRF\n\n### “This page was open for too long”$/m)
  t.not(withErrorTitles(page.replace('too long”', 'too short”')), page.replace('too long”', 'too short”'))
})

test('MIGRATION.md names every v1 key of the contract with its v2 key', async (t) => {
  const text = await read('MIGRATION.md')
  for (const key of ['secret', 'webhook', 'checkout', 'metadata'])
    t.true(text.includes(`| \`membership.stripe.${key}\` | \`membership.providers.stripe.${key}\` |`), key)
  t.true(text.includes('| `membership.manageUsers.role` | `membership.members.roles`'))
  t.true(text.includes('| `membership.provider.current` | `membership.provider.handler` |'))
})

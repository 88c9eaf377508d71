import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { thorough } from './support/parts.ts'
import { toProgram } from './support/programs.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
function read(name: string) {
  return readFileSync(join(root, name), 'utf8')
}
const pages = ['README.md', 'MIGRATION.md', ...markdownIn('docs'), ...markdownIn('docs/providers')]

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

/** Servers take a free port and are remembered; each is asked once, as a provider would ask it, and closed. */
const host = `
import { Server } from 'node:http'
const servers = []
const listen = Server.prototype.listen
Server.prototype.listen = function (...given) {
  servers.push(this)
  // What a program closes itself has nothing left to ask.
  this.once('close', () => servers.splice(servers.indexOf(this), 1))
  return listen.call(this, 0, '127.0.0.1', ...given.filter((one) => typeof one === 'function'))
}
globalThis.askAndClose = async (m) => {
  for (const server of [...servers]) {
    if (!server.listening) await new Promise((ready) => server.once('listening', ready))
    const site = 'http://127.0.0.1:' + server.address().port
    const isIndex = m?.operator.config.reports.system
    const answer = isIndex
      ? await fetch(site + '/reports')
      : await fetch(site + '/membership/webhooks/nobody', { method: 'POST', body: '{}' })
    const isOurs = answer.headers.get('content-type') === 'application/problem+json'
    if (!isOurs || answer.status !== (isIndex ? 401 : 404))
      throw new Error('our routes are not mounted: ' + answer.status)
    const page = await fetch(site + '/')
    if (page.status >= 500) throw new Error('the first page answers ' + page.status + ': ' + (await page.text()))
    server.closeAllConnections()
    server.close()
  }
  await m?.close()
}
`

/** Pages whose examples have a test of their own, which runs them with what they need. */
const ownTests = ['docs/mails.md', 'docs/testing.md']

const shortestOptions = "export default { 'membership.providers.stripe.webhook': 'whsec_…' }\n"

/** Each ```ts block; those with a file's name behind are a whole project, which the check of the package builds. */
function snippetsOf(page: string) {
  const blocks = [...read(page).matchAll(/^```ts( no-run)?(?: \[[^\]]*\])?\n([\s\S]*?)^```$/gm)]
  // A snippet that imports the file of options gets the one that the page showed last, else the first below it, else the
  // shortest one.
  let config = blocks.flatMap(([, , block = '']) => partsOf(block).options ?? [])[0] ?? shortestOptions
  return blocks.map(([, noRun, block = ''], index) => {
    const { options, code } = partsOf(block)
    config = options ?? config
    const name = `${page.replaceAll(/\W/g, '-')}-${index + 1}`
    return {
      name,
      title: `snippet ${index + 1} of ${page}`,
      page,
      code: code.replaceAll('./membership.config.ts', `./${name}.config.ts`),
      config: code.includes('./membership.config.ts') ? config : null,
      runs: noRun === undefined && code !== options && !ownTests.includes(page),
      // Which names exist is said for the whole program, so this one is compiled alone.
      declares: code.includes('interface Register'),
    }
  })
}

/** A block may show the file of options, alone or above the server that imports it. */
function partsOf(block: string): { options: string | null; code: string } {
  if (!block.startsWith('// membership.config.ts\n')) return { options: null, code: block }
  const [options = '', server] = block.split(/^(?=\/\/ server\.ts$)/m)
  return { options, code: server ?? options }
}

// What two pages show alike runs once.
const snippets = pages
  .filter((page) => page !== 'docs/mails.md')
  .flatMap(snippetsOf)
  .filter(({ code }, i, all) => all.findIndex((item) => item.code === code) === i)

// Inside the project, so that its dependencies are found.
let folder = ''
test.before(async () => {
  folder = await mkdtemp(join(root, '.readme-'))
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    lib: ['ES2023', 'DOM'],
    paths: {
      membership: ['../src/index.ts'],
      'membership/testkit': ['../src/testkit/index.ts'],
      'membership/testkit/engine': ['../src/testkit/engine.ts'],
      'membership/schemas': ['../src/schemas.ts'],
      'membership/types': ['../src/public-types.ts'],
      'membership/client': ['../src/client/index.ts'],
      'membership/astro/route': ['../src/entries/astro-route.ts'],
      'membership/nuxt/app': ['../src/entries/nuxt-app.ts'],
      'membership/nuxt/server': ['../src/entries/nuxt-server.ts'],
      'membership/react/client': ['../src/entries/react-client.ts'],
      'membership/payload/office-link': ['../src/entries/payload-office-link.ts'],
      'membership/*': ['../src/entries/*.ts'],
    },
  }
  const files: Record<string, string> = {
    'tsconfig.json': JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions,
      include: ['*.ts', '../src/entries/*.d.ts'],
      exclude: snippets.filter(({ declares }) => declares).map(({ name }) => `${name}.ts`),
    }),
    'host.mjs': host,
    'host.d.ts': 'declare var askAndClose: (m: { close(): Promise<void> } | null) => Promise<void>',
  }
  for (const { name, code, config, runs } of snippets) {
    if (config !== null) files[`${name}.config.ts`] = config
    const m = /^const m = /m.test(code) ? 'm' : 'null'
    files[`${name}.ts`] = `${code}\nexport {}\n${runs ? `await askAndClose(${m})\n` : ''}`
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})
test.after.always(() => rm(folder, { recursive: true, force: true }))

thorough(test).serial('every snippet of the pages compiles', async (t) => {
  const compile = run(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', folder])
  await t.notThrowsAsync(
    compile.catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    }),
  )
})

for (const { name, page, runs, title } of snippets)
  if (runs)
    (page === 'README.md' ? test : thorough(test)).serial(`${title} runs`, async (t) => {
      const cwd = join(folder, name)
      await mkdir(cwd)
      const program = await toProgram(join(folder, `${name}.ts`), join(folder, `${name}.mjs`))
      const flags = [`--import=${join(folder, 'host.mjs')}`]
      const env = {
        ...process.env,
        NODE_ENV: 'test',
        STRIPE_SECRET: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
      }
      await t.notThrowsAsync(run(process.execPath, [...flags, ...program], { cwd, env, timeout: 600_000 }))
    })

test('the README fits two screens, and its snippets and those of the guides run', (t) => {
  t.true(read('README.md').split('\n').length <= 200)
  t.true(snippets.filter(({ runs }) => runs).length >= 14)
})

for (const name of [...pages, ...markdownIn('docs/reference'), 'CHANGELOG.md', 'CONTRIBUTING.md'])
  test(`every link of ${name} leads somewhere`, (t) => {
    const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
    for (const [, target = '', heading] of links) {
      const file = target === '' ? name : join(name, '..', target)
      t.true(existsSync(join(root, file)), target)
      if (heading && file.endsWith('.md')) t.true(headingsOf(file).includes(heading), `${target}#${heading}`)
    }
    t.pass()
  })

test('every page can be found from the list that the README links', (t) => {
  t.true(read('README.md').includes('](docs/contents.md)'))
  const list = read('docs/contents.md')
  for (const page of [
    ...markdownIn('docs'),
    ...markdownIn('docs/providers'),
    ...markdownIn('docs/reference'),
  ])
    if (!['docs/index.md', 'docs/contents.md'].includes(page))
      t.true(list.includes(`](${page.replace('docs/', '')})`), page)
})

/** The anchors of a page, as GitHub makes them. */
function headingsOf(file: string): string[] {
  const text = read(file).replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}

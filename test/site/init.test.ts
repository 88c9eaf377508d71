import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { askForSite, type Prompts } from '../../src/cli/init-questions.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import { providers } from '../../src/providers/index.ts'
import { configFile } from '../../src/site/init/config-file.ts'
import { databases, type InitAnswers, mailWays, planSite, writeSite } from '../../src/site/init/index.ts'
import { createBrowser, until } from '../support/browser.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { freePort } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { toProgram } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')

/** A folder with these files, gone after the test. */
async function folderWith(t: ExecutionContext, files: Record<string, string>, above = tmpdir()) {
  const folder = await mkdtemp(join(above, '.init-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}
function textOf(folder: string, path: string) {
  return readFileSync(join(folder, path), 'utf8')
}
const standard: InitAnswers = {
  host: 'koa',
  database: 'sqlite',
  provider: 'sandbox',
  mails: 'log',
  index: null,
}

for (const [part, host] of [
  [test, 'koa'],
  [thorough(test), 'express'],
] as const)
  part.serial(`init’s site for ${host} starts, sells at the sandbox, and opens the archive`, async (t) => {
    // Inside the project, so that packages are found.
    const folder = await folderWith(t, {}, root)
    const { code, stdout } = await runCommand(folder, ['init', '--host', host, '--yes'])
    t.is(code, 0)
    t.regex(stdout, /npm install\n {2}npm start\n\nand open\nhttp:\/\/localhost:3000\n$/)
    t.is(JSON.parse(textOf(folder, 'package.json')).scripts.start, 'tsx server.ts')

    const port = await freePort()
    const program = await toProgram(join(folder, 'server.ts'), join(folder, 'server.mjs'))
    const { NODE_ENV: _, SITE_URL: __, ...env } = process.env
    const site = `http://localhost:${port}`
    const child: ChildProcess = spawn(process.execPath, program, {
      cwd: folder,
      // Buyers come back to where it listens, and nothing else says where that is.
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    let said = ''
    child.stdout?.on('data', (text) => {
      said += text
    })
    await until(
      async () => said,
      (text) => text.includes(site),
      60_000,
    )

    const buyer = createBrowser(site)
    t.is((await buyer.open('/archive')).status, 403)
    const { html } = await buyer.open('/')
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? ''
    const paying = await buyer.submit(action, { price: 'basic_monthly', redirect: '/' })
    await buyer.submit(paying.path, { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' })
    const archive = await buyer.open('/archive')
    t.deepEqual([archive.status, archive.html], [200, 'The archive.'])
    t.true((await buyer.open('/')).html.includes('<a href="/archive">'))

    // Processes of their own: tsx finds the package once in each process, by the folder where it was first asked.
    const ownPackage = { TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
    const found = await spawnCommand(folder, ['members', 'find', 'ada@example.com'], { env: ownPackage })
    t.regex(found.stdout, /ada@example\.com/, `the command opens the same site: ${found.stderr}`)
    const doctor = await spawnCommand(folder, ['doctor'], { env: ownPackage })
    t.is(doctor.code, 0, doctor.stdout)
    t.false(doctor.stdout.includes('webhook address at sandbox'), 'nobody enters an address at the sandbox')

    const second = spawn(process.execPath, program, {
      cwd: folder,
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let refused = ''
    second.stderr?.on('data', (text) => {
      refused += text
    })
    await new Promise((ended) => second.once('exit', ended))
    t.regex(refused, /^listen EADDRINUSE: .*\. For another port: PORT=3001 npm start\n$/)
  })

test.serial('init shows its files and writes nothing, unless it is told to', async (t) => {
  const folder = await folderWith(t, {})
  const { code, stdout } = await runCommand(folder, ['init', '--provider', 'stripe', '--mails', 'smtp'])
  t.is(code, 0)
  t.regex(stdout, /^\+\+\+ b\/server\.ts$/m)
  t.regex(stdout, /^\+STRIPE_SECRET=$/m)
  t.regex(stdout, /Nothing was written\. To write it: --yes/)
  t.deepEqual(readdirSync(folder), [])
})

test.serial('init merges existing files, and shows none of their secrets', async (t) => {
  const before = {
    'package.json':
      '{\n\t"name": "shop",\n\t"type": "module",\n\t"scripts": { "start": "node old.js" },\n\t"dependencies": { "express": "^4.0.0" }\n}\n',
    '.env': 'KEY=very-secret',
    '.gitignore': '/node_modules/\n',
    'tsconfig.json': '{}',
  }
  const folder = await folderWith(t, before)
  const { code, stdout } = await runCommand(folder, ['init', '--provider', 'stripe', '--yes'])
  t.is(code, 0)
  t.false(stdout.includes('very-secret'))
  const made = JSON.parse(textOf(folder, 'package.json'))
  t.is(made.name, 'shop')
  t.is(made.scripts.start, 'node old.js')
  t.is(made.dependencies.express, '^4.0.0', 'the host that is there is the host, in its version')
  t.truthy(made.dependencies.membership)
  t.truthy(made.dependencies.stripe)
  t.regex(textOf(folder, 'package.json'), /^\t"name"/m)
  t.regex(textOf(folder, '.env'), /^KEY=very-secret\nSTRIPE_SECRET=\nSTRIPE_WEBHOOK_SECRET=\n$/)
  t.is(textOf(folder, '.gitignore'), '/node_modules/\ndata\n.env\n')
  t.is(textOf(folder, 'tsconfig.json'), '{}')
  t.regex(textOf(folder, 'server.ts'), /expressHost/)
  const again = await runCommand(folder, ['init', '--provider', 'stripe', '--yes'])
  t.regex(again.stdout, /^Everything is there already\./)
})

test.serial('an existing file is named and kept, and replaced only on request', async (t) => {
  const folder = await folderWith(t, { 'server.ts': 'mine\n' })
  const { code, stderr } = await runCommand(folder, ['init', '--yes'])
  t.is(code, 1)
  t.regex(stderr, /These files are there with something else in them: server\.ts\. Nothing was written\./)
  t.deepEqual(readdirSync(folder), ['server.ts'])
  t.is((await runCommand(folder, ['init', '--yes', '--overwrite'])).code, 0)
  t.regex(textOf(folder, 'server.ts'), /createMembership/)
})

test.serial('init as JSON lists planned files, and with --yes the written ones', async (t) => {
  const folder = await folderWith(t, {})
  const asked = JSON.parse((await runCommand(folder, ['init', '--host', 'hono', '--json'])).stdout)
  t.false(asked.written)
  t.deepEqual(asked.files[0], { path: 'server.ts', is_new: true })
  t.false(existsSync(join(folder, 'server.ts')))
  const done = JSON.parse((await runCommand(folder, ['init', '--host', 'hono', '--json', '--yes'])).stdout)
  t.true(done.written && existsSync(join(folder, 'server.ts')))
})

test('if one file cannot be written, none is', async (t) => {
  const folder = await folderWith(t, { 'package.json': '{ "type": "module" }', app: 'no folder' })
  const { files } = planSite(folder, { ...standard, host: 'next' }, [])
  t.throws(() => writeSite(folder, [...files].reverse()), {
    code: 'ERR_USAGE',
    message: /^Nothing was written/,
  })
  t.deepEqual(readdirSync(folder).sort(), ['app', 'package.json'])
  t.is(textOf(folder, 'package.json'), '{ "type": "module" }')
})

test('a flag’s question is not asked, and stopping answers nothing', async (t) => {
  const choices = {
    hosts: ['koa'],
    databases: ['sqlite'],
    providers: ['sandbox'],
    mails: ['log'],
    systems: [],
  }
  const asked: string[] = []
  const prompts = (last: unknown) =>
    ({
      select: async ({ message, initialValue }: { message: string; initialValue: unknown }) => {
        asked.push(message)
        return message.startsWith('Does it') ? last : initialValue
      },
      isCancel: (value: unknown) => typeof value === 'symbol',
    }) as unknown as Prompts
  t.deepEqual(await askForSite({ host: 'express' }, standard, choices, prompts(null)), {
    ...standard,
    host: 'express',
  })
  t.is(asked.length, 4)
  t.is(await askForSite({}, standard, choices, prompts(Symbol('cancel'))), null)
})

test('init offers only providers that can sell', async (t) => {
  const { stdout } = await runCommand(root, ['init', '--help'])
  const [, offered = ''] = /--provider[\s\S]*?\(choices:([\s\S]*?)\)/.exec(stdout) ?? []
  const sellers: string[] = []
  for (const { key, load } of providers)
    if (bareProvider(await load()).stores === undefined) sellers.push(key)
  t.deepEqual(
    [...offered.matchAll(/"(\w+)"/g)].map(([, key]) => key),
    sellers,
  )
})

thorough(test).serial(
  'the options of every provider compile, with each database and mail transport',
  async (t) => {
    const folder = await folderWith(t, {}, root)
    const compilerOptions = { noUnusedLocals: false, paths: { membership: ['../src/index.ts'] } }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['*.ts'] }),
    )
    for (const [index, { key }] of providers.entries()) {
      const answers: InitAnswers = {
        ...standard,
        provider: key,
        database: databases[index % 2]!,
        mails: mailWays[index % 3]!,
      }
      const { text, price, gate } = configFile(answers)
      t.true(price !== '' && gate !== '')
      await writeFile(join(folder, `${key}.ts`), text)
    }
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
    await t.notThrowsAsync(
      promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', folder]).catch(({ stdout }) => {
        throw new Error(stdout)
      }),
    )
  },
)

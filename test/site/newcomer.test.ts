import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import express from 'express'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { tooOld } from '../../src/core/node-version.ts'
import { storageError } from '../../src/core/storage/sqlite-faults.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'

/** A whole site's options, with one mistake in them. */
function site(mistake: Record<string, unknown> = {}): MembershipOptions {
  return {
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe': { webhook: 'whsec_right', plans: { pro: { prices: ['price_1'] } } },
    'membership.compare.automatic': false,
    root: false,
    install: false,
    log: () => undefined,
    ...mistake,
  }
}

interface Said {
  readonly message: string
  readonly stack?: string
  readonly action?: string
}

/** What a start with these options says. */
async function starting(mistake: Record<string, unknown>): Promise<Said> {
  try {
    await (await createMembership(site(mistake))).close()
    return { message: 'nothing is said' }
  } catch (error) {
    return error as Said
  }
}

/** What is said by a site that started. */
async function running(
  use: (m: Membership, log: string[]) => Promise<Said> | Said,
  options: Record<string, unknown> = {},
): Promise<Said> {
  const log: string[] = []
  const m = await createMembership(site({ log: (message: string) => log.push(message), ...options }))
  try {
    return await use(m, log)
  } catch (error) {
    return error as Said
  } finally {
    await m.close()
  }
}

/** What a host answers to a correctly addressed webhook. */
async function posting(listener: RequestListener, signedWith = 'whsec_right'): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', signedWith).update(`${t}.{}`).digest('hex')
  const answer = await fetch(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/stripe`,
    {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${t},v1=${v1}` },
    },
  )
  const text = await answer.text()
  server.closeAllConnections()
  server.close()
  return text
}

function problem(text: string): Said {
  const { detail, action } = JSON.parse(text)
  return { message: detail, action }
}

// Each mistake as the page has it.
const table: [mistake: string, make: () => Promise<Said> | Said][] = [
  ['`providers: { stripe: { … } }`', () => starting({ providers: { stripe: { secret: 'sk_test_x' } } })],
  ['`indentify: (request) => …`', () => starting({ indentify: () => null })],
  ['`office: { enabled: true }`', () => starting({ office: { enabled: true } })],
  ["`hooks: { 'payment.recieved': … }`", () => starting({ hooks: { 'payment.recieved': () => undefined } })],
  [
    '`const m = createMembership({ … })`, then `m.koa()`',
    async () => {
      const forgotten = createMembership(site()) as unknown as Membership & Promise<Membership>
      try {
        forgotten.koa()
        return { message: 'nothing is said' }
      } catch (error) {
        return error as Said
      } finally {
        await (await forgotten).close()
      }
    },
  ],
  [
    '`secret: process.env.STRIPE_SECRET`, and the variable is not set',
    () =>
      starting({
        'membership.providers.stripe': { secret: undefined },
        'membership.provider.handler': 'stripe',
      }),
  ],
  [
    'one list of prices for two providers',
    () =>
      starting({ 'membership.plans': { pro: { prices: ['price_1'] } }, 'membership.providers.sandbox': {} }),
  ],
  [
    'another Node than the one that installed `better-sqlite3`',
    () =>
      storageError(
        Object.assign(
          new Error(
            'The module was compiled against a different Node.js version using NODE_MODULE_VERSION 127',
          ),
          { code: 'ERR_DLOPEN_FAILED' },
        ),
      ),
  ],
  [
    'packages installed without their install scripts (pnpm, `--ignore-scripts`)',
    () => storageError(new Error('Could not locate the bindings file. Tried:\n → …')),
  ],
  [
    'a database in a folder that cannot be made or written',
    () => starting({ 'membership.database.url': 'sqlite:/dev/null/site/membership.db' }),
  ],
  [
    '`app.use(m.koa)`',
    () => running((m) => (m.koa as unknown as (...given: unknown[]) => Said)({}, () => undefined)),
  ],
  [
    '`app.use(m.koa())` in Express',
    () =>
      running(async (m) => {
        const app = express()
        app.use(m.koa() as never)
        let met: Said = { message: 'nothing is said' }
        app.use(((error: Said, _request: unknown, response: { end(): void }, _next: unknown) => {
          met = error
          response.end()
        }) as never)
        await posting(app)
        return met
      }),
  ],
  [
    '`koaBody()` or `express.json()` above the webhooks',
    () => running(async (m) => problem(await posting(new Koa().use(koaBody()).use(m.koa()).callback()))),
  ],
  [
    'the signing secret of another endpoint',
    () => running(async (m) => problem(await posting(m.listener(), 'whsec_wrong'))),
  ],
  [
    "`m.gate('por')`, where the plan is called `pro`",
    () =>
      running((m, log) => {
        m.gate('por')
        return { message: log.at(-1) ?? '', action: log.at(-1) }
      }),
  ],
]

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')
function plain(cell: string) {
  return cell.replaceAll('`', '')
}

for (const [mistake, make] of table)
  test.serial(`a newcomer's mistake is named in the page's words, with advice: ${mistake}`, async (t) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${mistake} | `))
    const [, says = 'no row', advises = ''] = row?.slice(2, -2).split(' | ') ?? []
    const { message, action } = await make()
    t.is(message, plain(says).replace(/\bv\d+\.\d+\.\d+/, process.version))
    t.true(advises !== '' && action?.includes(plain(advises)), action)
  })

test('every mistake of the page is tested', (t) => {
  const [, rows = ''] = /^## A newcomer's mistakes\n([\s\S]*?)^## /m.exec(page) ?? []
  t.is(rows.match(/^\| /gm)?.length, table.length + 1)
})

test.serial('an undefined provider is left out without a message', async (t) => {
  const said = await running((_, log) => ({ message: log.join('\n') }), {
    'membership.providers.stripe': undefined,
    'membership.providers.paddle': undefined,
  })
  t.notRegex(said.message, /undefined/)
})

test.serial('an undefined secret is reported, even where the site starts without it', async (t) => {
  const said = await running((_, log) => ({ message: log.join('\n') }), {
    'membership.providers.stripe.secret': undefined,
  })
  t.regex(said.message, /^membership\.providers\.stripe\.secret is undefined \(options in code\)/m)
})

test.serial('the promise of an instance behaves like any other promise', async (t) => {
  const promise = createMembership(site())
  t.true(promise instanceof Promise)
  t.deepEqual(Object.keys(promise), [])
  const m = await Promise.race([promise, new Promise<never>(() => undefined)])
  t.is(typeof m.koa(), 'function')
  t.is(await promise.then((membership) => membership), m)
  await m.close()
})

test('a database below /proc is refused at once', async (t) => {
  const { message, stack } = await starting({ 'membership.database.url': 'sqlite:/proc/none/x.db' })
  t.false(/\n {4}at /.test(stack ?? ''), 'the message is not hidden by a stack of this package')
  t.regex(
    message,
    process.platform === 'linux' ? /^The database file \/proc\/none\/x\.db cannot be opened/ : /./,
  )
})

test('an error of the configuration says what and how, and no place in this package', async (t) => {
  const error = (await starting({ 'membership.provider.handler': 'stripee' })) as Error
  t.regex(error.stack ?? '', /^MembershipError \[ERR_CONFIG\]: membership\.provider\.handler names "stripee"/)
  t.notRegex(error.stack ?? '', /\n\s+at /)
})

test('a Node that is too old starts no site, and Bun and Deno have no such limit', async (t) => {
  t.regex(tooOld({ node: '20.18.3' })?.message ?? '', /needs Node 20\.19 or newer; this is Node 20\.18\.3/)
  t.is(tooOld({ node: '20.19.0' }), null)
  t.is(tooOld({ node: '18.0.0', bun: '1.2.0' }), null)
  const script = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })
const { createMembership } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))})
await createMembership({ install: false, root: false })`
  const ran = promisify(execFile)(process.execPath, ['--import=tsx', '--input-type=module', '-e', script])
  const { stderr } = await t.throwsAsync<Error & { stderr: string }>(ran)
  t.regex(stderr, /ERR_CONFIG\]: membership needs Node 20\.19 or newer; this is Node 20\.18\.3/)
})

test('a Node that is too old is named', async (t) => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } })'
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  const ran = promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--import',
    `data:text/javascript,${encodeURIComponent(older)}`,
    main,
    '--version',
  ])
  const { stderr } = await t.throwsAsync<Error & { stderr: string }>(ran)
  t.regex(
    stderr,
    /^membership needs Node 20\.19 or newer; this is Node 18\.20\.0\.\n→ Install Node 22 or newer\./,
  )
})

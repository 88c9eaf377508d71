import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { signed } from '../src/testkit/index.ts'
import { createBrowser, until } from './support/browser.ts'
import { freePort } from './support/databases.ts'
import { toProgram } from './support/programs.ts'
import { customerObject, stripeEvent, subscriptionItem, subscriptionObject } from './support/stripe-events.ts'

const root = join(import.meta.dirname, '..')
const secret = 'whsec_of_the_examples'
const running = new Set<ChildProcess>()
// Inside the project, so that their dependencies are found.
const translated = mkdtempSync(join(root, '.readme-examples-'))
function example(name: string) {
  return toProgram(join(root, 'examples', `${name}.ts`), join(translated, `${name}.mjs`))
}
test.after.always(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(translated, { recursive: true, force: true })
})

async function start(t: ExecutionContext, name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-example-'))
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    STRIPE_WEBHOOK_SECRET: secret,
  }
  const child = spawn(process.execPath, await example(name), {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  return { child, site: `http://127.0.0.1:${port}` }
}

const events = [
  stripeEvent('customer.created', customerObject()),
  stripeEvent(
    'customer.subscription.created',
    subscriptionObject({ items: { data: [subscriptionItem({ price: { id: 'price_monthly' } })] } }),
  ),
]
// Signed when they are sent: a signature is taken for five minutes.
function deliveries() {
  return events.map((event) => signed('stripe', event, { secret }))
}

for (const name of ['express', 'node-http'])
  test.serial(`examples/${name}.ts accepts webhooks and recognises its visitors`, async (t) => {
    const { site } = await start(t, name)
    const first = await until(
      () =>
        fetch(site)
          .then((r) => r.text())
          .catch(() => null),
      (text) => text !== null,
      60_000,
    )
    t.is(first, 'This page is for members.')
    for (const { body, headers } of deliveries())
      t.is(
        (
          await fetch(`${site}/membership/webhooks/stripe`, {
            method: 'POST',
            body: new Uint8Array(body),
            headers,
          })
        ).status,
        200,
      )
    if (name === 'express')
      t.is(
        await (await fetch(site, { headers: { 'x-demo-user': 'ann@example.com' } })).text(),
        'Welcome back.',
      )
    t.is(await (await fetch(site)).text(), 'This page is for members.')
    t.is((await fetch(`${site}/membership/webhooks/nobody`, { method: 'POST' })).status, 404)
  })

test.serial('examples/koa.ts sells in the sandbox as it stands', async (t) => {
  const { site } = await start(t, 'koa')
  const buyer = createBrowser(site)
  const open = () => buyer.open('/').catch(() => null)
  const first = await until(open, (page) => page !== null, 60_000)
  t.regex(first?.html ?? '', /This page is for members\. <a href="\/membership\/prices">/)
  const { html } = await buyer.open('/membership/prices')
  const action = /<form[^>]* action="(\/membership\/subscribe[^"]+)"/.exec(html)?.[1] ?? ''
  const paying = await buyer.submit(action, { redirect: '/' })
  await buyer.submit(paying.path, { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' })
  t.regex((await buyer.open('/')).html, /Welcome back, ada@example\.com\./)
})

test.serial('examples/fetch.ts answers web-standard requests', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-example-'))
  const before = process.cwd()
  process.chdir(folder)
  process.env.STRIPE_WEBHOOK_SECRET = secret
  const { handle, close } = (await import((await example('fetch')).at(-1)!)) as {
    handle: (r: Request) => Promise<Response>
    close: () => Promise<void>
  }
  for (const { body, headers } of deliveries()) {
    const answer = await handle(
      new Request('http://site.test/membership/webhooks/stripe', {
        method: 'POST',
        body: new Uint8Array(body),
        headers,
      }),
    )
    t.deepEqual([answer.status, await answer.json()], [200, { status: 'processed' }])
  }
  const refused = await handle(
    new Request('http://site.test/membership/webhooks/stripe', { method: 'POST', body: '{}' }),
  )
  t.is(refused.status, 403)
  t.is(refused.headers.get('content-type'), 'application/problem+json')
  t.is(await (await handle(new Request('http://site.test/'))).text(), 'This page is for members.')
  await close()
  process.chdir(before)
  await rm(folder, { recursive: true, force: true })
})

test.serial('examples/no-http.ts runs as a script', async (t) => {
  const { child } = await start(t, 'no-http')
  let output = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  t.is(code, 0)
  t.deepEqual(output.trim().split('\n'), ['true gift', '0 null', 'true'])
})

test('every example on a page is the one that runs here', async (t) => {
  const names = ['README.md', 'docs/express.md', 'docs/node.md', 'docs/scripts-and-jobs.md']
  const pages = names.map((name) => readFile(join(root, name), 'utf8'))
  const text = (await Promise.all(pages)).join('')
  for (const name of ['membership.config', 'koa', 'express', 'node-http', 'fetch', 'no-http'])
    t.true(
      text.includes(`\`\`\`ts\n${await readFile(join(root, 'examples', `${name}.ts`), 'utf8')}\`\`\``),
      name,
    )
})

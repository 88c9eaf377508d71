import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import type Koa from 'koa'
import { filesOfKind } from '../../scripts/prose/measure.ts'
import type { Membership } from '../../src/index.ts'
import { createBrowser } from '../support/browser.ts'
import { toProgram } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')
function read(file: string) {
  return readFileSync(join(root, file), 'utf8')
}

/** The first example of a page, with its options in memory, as a module that gives the site and its application. */
async function siteOf(file: string, folder: string): Promise<{ m: Membership; app: Koa }> {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(read(file)) ?? []
  const options = "root: false, log: () => {}, 'membership.database.url': 'sqlite::memory:',"
  const program = code
    .replace('createMembership({', `createMembership({ ${options}`)
    .replace(/^app\.listen\(.*$/m, 'export { app, m }')
  writeFileSync(join(folder, 'page.ts'), program)
  await toProgram(join(folder, 'page.ts'), join(folder, 'page.mjs'))
  return import(pathToFileURL(join(folder, 'page.mjs')).href)
}

test('the example of a pricing page has a form for strangers, and says “Your plan” to its buyer', async (t) => {
  const folder = mkdtempSync(join(root, '.guides-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { m, app } = await siteOf('docs/pricing-page.md', folder)
  t.teardown(() => m.close())
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const browser = createBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const before = await (await browser.request('/')).text()
  t.regex(before, /action="\/membership\/subscribe\/reader"/)
  t.notRegex(before, /Your plan/)
  await browser.open('/')
  const checkout = await browser.order('/membership/subscribe/reader', { price: 'reader_monthly' })
  t.regex(checkout.path, /^\/membership\/sandbox\/checkout\//)
  const back = await browser.submit(checkout.path, {
    email: 'ann@example.com',
    name: 'Ann',
    card: '4242424242424242',
    expiry: '12 / 34',
  })
  t.is(back.status, 200)
  const after = await (await browser.request('/')).text()
  t.regex(after, /Your plan/)
  t.notRegex(after, /<form/)
})

test('a YAML example of a guide begins with the key that a file of options begins with', (t) => {
  for (const file of filesOfKind(root, 'guide'))
    for (const [, block = ''] of read(file).matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)) {
      const [key = ''] = block.split(':')
      t.false(
        ['plans', 'prices', 'provider', 'providers', 'shop', 'pages'].includes(key),
        `${file}: "${key}" stands below "membership"`,
      )
    }
})

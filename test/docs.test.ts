import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { withAccessTable } from '../scripts/access-table.ts'
import { withTable } from '../scripts/configuration-table.ts'
import { errorStatus } from '../src/core/errors.ts'
import { openHost } from './support/host.ts'

const read = (name: string) => readFile(join(import.meta.dirname, '..', name), 'utf8')

test('the README lists every configuration key as the schema has it (mend: npm run docs)', async (t) => {
  const readme = await read('README.md')
  t.is(readme, withTable(readme))
  t.regex(readme, /`membership\.ratelimit\.limit` \| `30`/)
})

test('the README says what each kind of session may do on every route (mend: npm run docs)', async (t) => {
  const readme = await read('README.md')
  t.is(readme, await withAccessTable(readme))
  t.regex(
    readme,
    /`POST \/membership\/account\/delete` \| asked to log in \| asked for a login by a link \| yes \|/,
  )
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

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'
import { createMembership, type MembershipOptions } from '../../src/index.ts'

async function open(t: ExecutionContext, options: MembershipOptions) {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': 'https://example.com',
    'membership.secret': 'x'.repeat(32),
    install: false,
    root: false,
    log: () => {},
    ...options,
  })
  t.teardown(() => m.close())
  return m
}
const mails = { transport: async () => undefined }
const identify: MembershipOptions['identify'] = ({ headers }) => {
  const id = headers.get('x-user')
  return id === null ? null : { userId: id, email: `${id}@example.com`, verified: true }
}

async function account(m: Awaited<ReturnType<typeof open>>, headers: Record<string, string>) {
  const answer = await m.fetch(
    new Request('https://example.com/membership/account', { headers: { accept: 'text/html', ...headers } }),
  )
  return {
    html: await answer.text(),
    cookie: answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  }
}
const addressField = /<input[^>]* name="email"[^>]* value="ada@example\.com"/
const mergeForm = /action="\/membership\/account\/merge"/

test('an address that the host’s login owns is shown, and not offered for a change', async (t) => {
  const m = await open(t, { mails, identify })
  const { html } = await account(m, { 'x-user': 'ada' })
  t.true(html.includes('ada@example.com'))
  t.notRegex(html, addressField)
  t.regex(html, /<input[^>]* name="name"/, 'the name is')
  t.regex(html, mergeForm)
})

test('a change of such an address that is posted all the same says why it is refused', async (t) => {
  const m = await open(t, { mails, identify })
  const { html, cookie } = await account(m, { 'x-user': 'ada' })
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? []
  const answer = await m.fetch(
    new Request('https://example.com/membership/account', {
      method: 'POST',
      headers: {
        accept: 'text/html',
        cookie,
        'x-user': 'ada',
        origin: 'https://example.com',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, email: 'other@example.com' }),
    }),
  )
  t.is(answer.status, 409)
  const page = await answer.text()
  t.regex(page, /Change it in the settings of your login to this site/)
  t.notRegex(page, /Something changed since you opened the page/)
})

test('a site without mails offers neither a change of the address nor a merge, which both need them', async (t) => {
  const m = await open(t, {
    identify: ({ headers }) =>
      headers.get('x-user') === null ? null : { email: `${headers.get('x-user')}@example.com` },
  })
  const { html } = await account(m, { 'x-user': 'ada' })
  t.true(html.includes('ada@example.com'))
  t.notRegex(html, addressField)
  t.notRegex(html, mergeForm)
  t.notRegex(html, /We’ll send a link to the new address/)
})

test('the newsletter of the example is offered where the site’s blueprint names it', async (t) => {
  const m = await open(t, { mails, identify })
  t.notRegex((await account(m, { 'x-user': 'ada' })).html, /newsletter/i)
  const root = mkdtempSync(join(tmpdir(), 'blueprint-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  cpSync(new URL('../../blueprints', import.meta.url), join(root, 'blueprints'), { recursive: true })
  const own = await open(t, { mails, identify, root })
  t.regex((await account(own, { 'x-user': 'ada' })).html, /Send me the newsletter/)
})

test('pages and mails of the package speak neither of articles nor of the magazine', (t) => {
  const templates = new URL('../../templates/', import.meta.url)
  const texts = (file: URL): string => {
    const { magazine: _, demo: __, ...own } = parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    return JSON.stringify(own)
  }
  const files = ['words/', 'mails/', 'office/words/', 'partner/words/'].flatMap((folder) => {
    const at = new URL(folder, templates)
    return readdirSync(at)
      .filter((name) => name.endsWith('.yml'))
      .map((name) => new URL(name, at))
  })
  t.true(files.length > 30)
  for (const file of files) t.notRegex(texts(file), /\barticles?\b|magazin|\bartikel/i, file.pathname)
})

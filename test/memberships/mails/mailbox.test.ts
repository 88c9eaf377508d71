import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import Koa from 'koa'
import { createRender } from '../../../src/core/pages/index.ts'
import { framedMailHeaders, mailboxDirective } from '../../../src/memberships/mails/index.ts'
import { openMails, samples } from './support.ts'

const render = createRender(null, true)
const written = openMails().compose('magic-link', {
  to: 'ann@example.com',
  name: '</pre><script>alert(1)</script>',
  language: 'de',
  data: samples['magic-link'],
})
const listed = [
  { ...written, id: 'm2', name: 'Login link', at: '2026-11-21T07:31:05.000Z', href: '/demo/mails/m2' },
  {
    id: 'm1',
    name: 'Receipt',
    to: '<b>@example.com',
    subject: 'Receipt: <Pro>',
    at: '2026-11-20T00:00:00.000Z',
    href: '/demo/mails/m1',
    status: 'waiting',
  },
]
function page(data: Record<string, unknown>) {
  return render('mailbox', { path: '/demo/mails', ...data })
}

test('the mailbox lists name, recipient, subject and time, and marks the opened mail', (t) => {
  const html = page({ mails: listed, opened: { ...listed[0], html_url: '/demo/mails/m2/html' } })
  t.regex(html, /href="\/demo\/mails\/m2" aria-current="true"/)
  t.regex(html, /<strong lang="de">Anmeldung bei Neap<\/strong>\s*<span class="mailbox-to">ann@example\.com</)
  t.regex(html, /Login link <time datetime="2026-11-21T07:31:05\.000Z">21 Nov 2026, 07:31 UTC</)
  t.regex(html, /Receipt <time [^>]*>20 Nov 2026, 00:00 UTC<\/time> <span class="mailbox-status">waiting</)
  t.true(html.includes('Receipt: &lt;Pro&gt;') && html.includes('&lt;b&gt;@example.com'))
  t.is(html.match(/aria-current="true"/g)?.length, 1)
  t.notRegex(html, /undefined/)
})

test('an opened mail shows its text, and its HTML in a frame without scripts and without our origin', (t) => {
  const html = page({ mails: listed, opened: { ...listed[0], html_url: '/demo/mails/m2/html' } })
  t.regex(html, /<iframe src="\/demo\/mails\/m2\/html" sandbox="allow-popups allow-popups-to-escape-sandbox"/)
  t.regex(
    html,
    /<pre [^>]*>Guten Tag &lt;\/pre&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;,\n\nDieser Link meldet/,
  )
  t.notRegex(html, /<script|srcdoc|style=/)
})

test('an empty mailbox says how to get a mail, and one without an opened mail how to read one', (t) => {
  t.regex(page({ mails: [] }), /No mail yet/)
  t.regex(page({ mails: listed, opened: null }), /Choose a mail/)
})

test('the frame’s address allows the mail’s own styles, but no scripts, requests or forms', async (t) => {
  const app = new Koa()
  app.use((ctx) => {
    ctx.set(framedMailHeaders)
    ctx.body = written.html
  })
  const server = app.listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.is(await answer.text(), written.html)
  t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  const policy = answer.headers.get('content-security-policy')!.split('; ')
  for (const directive of [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ])
    t.true(policy.includes(directive), directive)
  const sandbox = policy.find((directive) => directive.startsWith('sandbox'))!
  t.notRegex(sandbox, /allow-(scripts|same-origin|forms|top-navigation)/)
  t.is(mailboxDirective, "frame-src 'self'")
})

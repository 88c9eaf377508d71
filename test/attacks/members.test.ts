import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { ProviderDefinition } from '../../src/providers/contract.ts'
import { dodoBook, dodoEvent } from '../providers/dodo/events.ts'
import { createCounter } from '../support/completing-provider.ts'
import { openHost } from '../support/host.ts'
import { own } from '../support/own-providers.ts'
import { openStripeSite, webhookSecret } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, type Visitor } from '../support/visitor.ts'

const folder = join(import.meta.dirname, '../../../shared/corpora/urls')

function urlsOf(file: string): string[] {
  const { cases } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    cases: { url?: string; input?: string; href?: string }[] | Record<string, { href?: string }[]>
  }
  return Object.values(cases)
    .flat()
    .flatMap(({ url, input, href }) => [url, input, href])
    .filter((item) => typeof item === 'string')
}

const tricks = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '\t//evil.example',
  '/%2F/evil.example/..//evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/a/../..//evil.example',
  'javascript:alert(1)',
  '/account\r\nSet-Cookie: a=b',
  '@evil.example',
  '.evil.example',
]

function redirecting(id: string): [string, Record<string, string>][] {
  return [
    ['/membership/subscribe/team', {}],
    ['/membership/payment', { product: 'price_book' }],
    [`/membership/change/${id}`, { quantity: '1' }],
    [`/membership/invoice/${id}`, { price: 'price_team' }],
    [`/membership/cancel/${id}`, {}],
    [`/membership/resume/${id}`, {}],
    [`/membership/renew/${id}`, {}],
    [`/membership/pause/${id}`, {}],
    ['/membership/portal', {}],
    ['/membership/account', {}],
    ['/membership/login', { email: 'ann@example.com' }],
    ['/membership/logout', {}],
  ]
}

test('manipulated `redirect` values lead nowhere else, on any form', async (t) => {
  const opened = await openStripeSite(t, createMailbox().options)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  for (const [path, fields] of [...redirecting(id), ['/membership/account/delete', {}] as const])
    for (const redirect of tricks) {
      const answer = await visitor.send(path, { ...fields, redirect }, { accept: 'text/html' })
      const to = new URL(answer.location ?? '/', opened.site)
      t.true([opened.site, opened.fake.url].includes(to.origin), `${path} ${JSON.stringify(redirect)}: ${to}`)
      t.false(/[\\\r\n\t]/.test(answer.location ?? ''))
      t.true(answer.status < 500, `${path} ${answer.text}`)
    }
  const { objects } = opened.fake
  const given = [
    ...objects.list('checkout.session').map(({ cancel_url }) => cancel_url),
    ...objects.list('billing_portal.session').map(({ return_url }) => return_url),
  ]
  t.true(given.length > 1)
  for (const url of given) t.is(new URL(String(url)).origin, opened.site, 'what the provider leads back to')
  t.is((await visitor.get('/membership/login?redirect=//evil.example')).status, 400)
  t.truthy(await opened.m.users.findByEmail('ann@example.com'), 'no trick deleted the account')
})

const withCorpus = existsSync(folder) ? test : test.skip
withCorpus('no address of the corpora is a way off the site (skipped where they are missing)', async (t) => {
  const opened = await openStripeSite(t)
  const visitor = createVisitor(opened.site)
  const given = [...new Set(['urltestdata.dev.json', 'ssrf.dev.json', 'setters.dev.json'].flatMap(urlsOf))]
  t.true(given.length > 300)
  let kept = 0
  for (const redirect of given) {
    const answer = await visitor.send('/membership/logout', { redirect }, { accept: 'text/html' })
    if (answer.status === 400) {
      t.is(answer.code, 'ERR_REDIRECT', redirect)
      continue
    }
    kept++
    const to = answer.location!
    // As a browser on the site reads it, and as one on https does.
    for (const base of [opened.site, 'https://site.example'])
      t.is(new URL(to, base).origin, base, JSON.stringify(redirect))
    t.regex(to, /^\/(?![/\\])/, JSON.stringify(redirect))
  }
  t.true(kept > 0)
})

test('typing somebody else’s address at the checkout gives no access to their account', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, fake, site } = opened
  await m.users.create({ email: 'vera@example.com', verified: true, name: 'Vera' })
  await m.users.create({ email: 'una@example.com', name: 'Una' })
  for (const email of ['vera@example.com', 'una@example.com']) {
    const { visitor, back } = await buy(opened, email, { proved: false })
    t.regex(back.text, /Paid|Thank you/)
    t.false(visitor.cookies.has('membership_session'), email)
    t.is((await visitor.get('/membership/account/export')).status, 401, email)
  }
  t.true((await m.users.findByEmail('vera@example.com'))?.hasGate('pro' as never), 'a gift')
  t.false((await m.users.findByEmail('una@example.com'))?.hasGate('pro' as never), 'waits for its owner')

  const { visitor: nobody } = await buy(opened, 'nora@example.com', { proved: false })
  t.is((await nobody.get('/membership/account/export')).status, 403, 'an account that this purchase made')
  await fake.advance({ ms: 1000 })
  const nora = await logIn({ m, site }, mailbox, 'nora@example.com')
  t.is((await nora.get('/membership/account/export')).status, 200)
  t.is((await nobody.get('/membership/account/export')).status, 401, 'until its owner came')
  const una = await logIn({ m, site }, mailbox, 'una@example.com')
  t.is((await una.get('/membership/account/export')).status, 200)
  t.true((await m.users.findByEmail('una@example.com'))?.hasGate('pro' as never))
})

test('a checkout begun before somebody joined does not log its buyer in to their account', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, 'membership.login.signup': true })
  const { m, fake, site } = opened
  // Opened in advance, kept open, and paid with the address of somebody who joined meanwhile.
  const thief = createVisitor(site)
  const begun = await thief.send('/membership/subscribe/team')
  await fake.advance({ ms: 60_000 })
  await logIn({ m, site }, mailbox, 'joy@example.com')
  await fake.advance({ ms: 60_000 })
  const [session] = fake.objects.list('checkout.session')
  await fake.pay(session!.id, { email: 'joy@example.com' })
  await fake.deliver()
  const back = await thief.get(`/membership/subscribe/${begun.json.intent_id}`)
  t.regex(back.text, /Paid|Thank you/)
  t.is((await thief.get('/membership/account/export')).status, 401)
  t.true((await m.users.findByEmail('joy@example.com'))?.hasGate('team' as never))
})

test('the address of a confirmation page shows that it is paid, and logs in nobody else', async (t) => {
  const opened = await openStripeSite(t)
  const visitor = createVisitor(opened.site)
  const begun = await visitor.send('/membership/subscribe/team')
  const path = `/membership/subscribe/${begun.json.intent_id}`
  const [session] = opened.fake.objects.list('checkout.session')
  await opened.fake.pay(session!.id, { email: 'ann@example.com' })
  await opened.fake.deliver()
  const other = createVisitor(opened.site)
  const seen = await other.get(path)
  t.regex(seen.text, /Paid|Thank you/)
  t.false(seen.text.includes('ann@example.com'))
  t.false(other.cookies.has('membership_session'))
  await visitor.get(path)
  t.true(visitor.cookies.has('membership_session'))
  const unknown = await other.get('/membership/subscribe/none', { accept: 'application/json' })
  t.is(unknown.status, 404)
  t.is(unknown.json.code, 'ERR_INTENT_UNKNOWN')
})

test('other spellings of a confirmation page’s address count as the same page', async (t) => {
  const { site } = await openStripeSite(t, { 'membership.ratelimit.limit': 10_000 })
  const visitor = createVisitor(site)
  const begun = await visitor.send('/membership/subscribe/team')
  const [first, ...rest] = String(begun.json.intent_id)
  const encoded = `%${first!.charCodeAt(0).toString(16)}${rest.join('')}`
  const statuses: number[] = []
  for (let n = 0; n < 124; n++) {
    // Bits of the number choose capitals.
    const folder = [...'membership'].map((c, i) => ((n >> i) & 1 ? c.toUpperCase() : c)).join('')
    const id = n % 2 === 0 ? begun.json.intent_id : encoded
    statuses.push((await visitor.request(`/${folder}/subscribe/${id}`)).status)
  }
  t.is(statuses.filter((status) => status === 200).length, 120)
  t.is(statuses.at(-1), 429)
})

test('a checkout page of another provider settles no purchase begun here, whatever its buyer notes on it', async (t) => {
  const opened = await openStripeSite(t, { 'membership.providers.dodo.webhook': 'whsec_b2YgdGhlIHRlc3Rz' })
  const visitor = createVisitor(opened.site)
  const begun = await visitor.send('/membership/payment', { product: 'price_book' })
  // Links to Dodo's and Creem's pages take metadata from whoever writes the link.
  const metadata = { membership_intent: begun.json.intent_id }
  const body = Buffer.from(
    JSON.stringify(dodoEvent('payment.succeeded', '2026-01-15T12:00:00Z', dodoBook({ metadata }))),
  )
  await opened.m.webhooks.receive('dodo', { body, headers: opened.m.webhooks.sign('dodo', body) })
  const buyer = await opened.m.users.findByEmail('ann@example.com')
  t.true(buyer?.hasGate('pdt_book' as never), 'what was paid for')
  t.false(buyer?.hasGate('price_book' as never), 'what was only begun')
  const page = await visitor.get(`/membership/payment/${begun.json.intent_id}`)
  t.notRegex(page.text, /Paid|Thank you/)
  t.false(visitor.cookies.has('membership_session'))
})

/** A site that sells at the counter, whose pages carry whatever their buyers write. */
async function openCounter(t: ExecutionContext, traits: Pick<ProviderDefinition, 'customers'> = {}) {
  const now = new Date('2026-03-01T12:00:00Z')
  const counter = createCounter(() => now, traits)
  const mailbox = createMailbox()
  const { m, site } = await openHost(t, {
    'membership.provider.handler': 'counter' as never,
    ...own({ 'membership.providers.counter.webhook': 'a secret' }),
    ...own({
      'membership.providers.counter.plans': {
        book: { prices: [{ id: 'book', amount: 900, currency: 'EUR' }], quantity: { max: 5 } },
        film: { prices: [{ id: 'film', amount: 1900, currency: 'EUR' }], quantity: { max: 5 } },
      },
    }),
    'membership.ratelimit.limit': 1000,
    ...mailbox.options,
    customProviders: [counter.definition],
    now: () => now,
  })
  const visitor = createVisitor(site)
  const begin = async (product: string, quantity = '1', buyer = visitor) => {
    const { json } = await buyer.send('/membership/payment', { product, quantity })
    const order = counter.orders.get(`order_${json.intent_id}`)!
    const isPaid = async () =>
      /Paid|Thank you/.test((await visitor.get(`/membership/payment/${json.intent_id}`)).text)
    return { ...order.request, id: order.id, back: `/membership/payment/${json.intent_id}`, isPaid }
  }
  /** A page was paid that carries this text and sold this. */
  const paid = async (
    email: string,
    said: { id: string; intent: string; price: string; quantity?: number },
  ) => {
    const item = { price_id: said.price, product_id: null, quantity: said.quantity ?? 1 }
    const data = {
      id: said.id,
      intent_id: said.intent,
      items: [item],
      ...item,
      customer_id: `c_${email}`,
      email,
      refs: [],
      purpose: 'one_time',
      state: 'paid',
      checkout_status: 'complete',
      currency: 'EUR',
    }
    const changes = [{ type: 'money', kind: 'checkout', id: said.id, stage: 'updated', data }]
    const body = Buffer.from(JSON.stringify({ id: said.id, changes }))
    await m.webhooks.receive('counter', { body, headers: {} })
  }
  const owns = async (email: string) => {
    const user = await m.users.findByEmail(email)
    return ['book', 'film'].filter((gate) => user?.hasGate(gate as never))
  }
  return { m, site, mailbox, visitor, begin, paid, owns }
}

test('naming a dearer purchase on an own payment page opens only what that page sold', async (t) => {
  const { begin, paid, owns } = await openCounter(t)
  const film = await begin('film')
  await paid('mallory@example.com', { id: 'page_1', intent: film.intentId, price: 'book' })
  t.deepEqual(await owns('mallory@example.com'), ['book'])
  t.false(await film.isPaid())
})

test('naming somebody else’s purchase pays only for the own one, and logs nobody in', async (t) => {
  const { visitor, begin, paid, owns } = await openCounter(t)
  const book = await begin('book')
  await paid('mallory@example.com', { id: 'page_1', intent: book.intentId, price: 'book' })
  t.deepEqual(await owns('mallory@example.com'), ['book'])
  t.false(await book.isPaid())
  t.false(visitor.cookies.has('membership_session'))
})

test('items that a buyer changed on our checkout page open what was actually bought', async (t) => {
  const { begin, paid, owns } = await openCounter(t)
  const film = await begin('film')
  await paid('ann@example.com', { id: film.id, intent: film.intentId, price: 'book' })
  t.deepEqual(await owns('ann@example.com'), ['book'])
})

test('our signed note identifies a purchase whose events name no page, for the requested items and once', async (t) => {
  const { begin, paid, owns } = await openCounter(t)
  const [film, book] = [await begin('film', '2'), await begin('book')]
  const tag = (signed: string) => signed.split('.')[1]!
  const forged = [
    { intent: film.intentId },
    { intent: `${film.intentId}.` },
    { intent: `${film.intentId}.${tag(film.signedIntent).slice(0, -1)}` },
    { intent: `${film.intentId}.${tag(book.signedIntent)}` },
    { intent: film.signedIntent, price: 'book' },
    { intent: film.signedIntent, quantity: 1 },
  ]
  for (const [n, item] of forged.entries())
    await paid(`m${n}@example.com`, { id: `pay_${n}`, price: 'film', quantity: 2, ...item })
  t.false(await film.isPaid())
  t.deepEqual(await owns('m4@example.com'), ['book'])
  await paid('ann@example.com', { id: 'pay_ann', intent: film.signedIntent, price: 'film', quantity: 2 })
  t.true(await film.isPaid())
  t.deepEqual(await owns('ann@example.com'), ['film'])
  await paid('bob@example.com', { id: 'pay_bob', intent: film.signedIntent, price: 'film', quantity: 2 })
  t.deepEqual(await owns('bob@example.com'), ['film'], 'another purchase, and its own buyer’s')
})

const sharing = { customers: 'by_address' } as const

test('a provider with one customer per address gives a member who types a stranger’s address nothing of theirs', async (t) => {
  const { m, site, mailbox, begin, paid, owns } = await openCounter(t, sharing)
  await m.users.create({ email: 'mallory@example.com', verified: true })
  const mallory = await logIn({ m, site }, mailbox, 'mallory@example.com')
  const ann = createVisitor(site)
  const buys = async (visitor: Visitor, product: string, email = 'ann@example.com') => {
    const item = await begin(product, '1', visitor)
    await paid(email, { id: item.id, intent: item.intentId, price: product })
    return visitor.get(item.back)
  }
  const gift = await buys(mallory, 'book')
  t.regex(gift.text, /kept your purchase for the address/, 'paid, and not theirs')
  t.regex((await buys(mallory, 'book', 'mallory@example.com')).text, /Thank you\. You/)
  await buys(ann, 'film')
  t.deepEqual(await owns('mallory@example.com'), ['book'])
  t.deepEqual(await owns('ann@example.com'), ['book', 'film'])
  t.false((await mallory.get('/membership/account/export')).text.includes('film'))

  // The other way round: what was hers already.
  await buys(mallory, 'film')
  t.deepEqual(await owns('mallory@example.com'), ['book'])
})

test('two browsers that typed the same address see nothing of each other before it is proven', async (t) => {
  const { m, site, mailbox, begin, paid, owns } = await openCounter(t, sharing)
  const [thief, ann] = [createVisitor(site), createVisitor(site)]
  const early = await begin('film', '1', thief)
  const pays = async (visitor: Visitor, product: string) => {
    const item = await begin(product, '1', visitor)
    await paid('ann@example.com', { id: item.id, intent: item.intentId, price: product })
    await visitor.get(item.back)
  }
  const isIn = async (visitor: Visitor) =>
    visitor.cookies.has('membership_session') &&
    (await visitor.get('/membership/account/export')).status !== 401
  await pays(thief, 'book')
  t.true(await isIn(thief), 'alone with it')
  await pays(ann, 'film')
  t.false(await isIn(thief), 'since somebody else bought with it')
  t.false(await isIn(ann), 'paying proves no address')
  await paid('ann@example.com', { id: early.id, intent: early.intentId, price: 'film' })
  await thief.get(early.back)
  t.false(await isIn(thief), 'by a page that was kept open')
  const owner = await logIn({ m, site }, mailbox, 'ann@example.com')
  t.true(await isIn(owner))
  t.deepEqual(await owns('ann@example.com'), ['book', 'film'])
})

test('ids that a buyer chose identify no member; only our own intent does', async (t) => {
  const opened = await openStripeSite(t, {
    // As a payment link lets its buyers: both are in the webhook.
    'membership.providers.stripe.checkout': () => ({
      client_reference_id: victim.id,
      metadata: { member_id: victim.id, membership_member: victim.id, user_id: victim.id },
    }),
  })
  const { m } = opened
  const victim = await m.users.create({ email: 'vic@example.com', verified: true })
  const { visitor } = await buy(opened, 'mallory@example.com')
  t.deepEqual((await m.users.findByEmail('vic@example.com'))?.subscriptions(), [])
  t.is((await m.users.findByEmail('mallory@example.com'))?.subscriptions().length, 1)
  const { text } = await visitor.get('/membership/account/export')
  t.false(text.includes('vic@example.com'))
})

test('a login comes first if purchases create no members', async (t) => {
  const { fake, site } = await openStripeSite(t, { 'membership.members.create': false })
  const visitor = createVisitor(site)
  for (const [path, fields] of [
    ['/membership/subscribe/team', {}],
    ['/membership/payment', { product: 'price_book' }],
  ] as const)
    t.is((await visitor.send(path, fields)).json.code, 'ERR_LOGIN_REQUIRED', path)
  t.is(fake.objects.list('checkout.session').length, 0)
})

test('an export contains only the member’s own data', async (t) => {
  const opened = await openStripeSite(t)
  await buy(opened, 'ann@example.com')
  const bob = await buy(opened, 'bob@example.com')
  const { text, headers } = await bob.visitor.get('/membership/account/export')
  t.true(text.includes('bob@example.com'))
  t.true(text.includes(bob.id))
  t.false(/ann@example\.com/.test(text))
  const [ann] = opened.fake.objects.list('customer')
  t.false(text.includes(ann!.id))
  t.is(headers.get('cache-control'), 'private, no-store')
})

test('no key, token or link is readable in a table or in the log', async (t) => {
  const mailbox = createMailbox()
  const secret = 'a secret of the site that is long enough for signing'
  const opened = await openStripeSite(t, { ...mailbox.options, 'membership.secret': secret })
  const { m, fake, log, site } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const ann = await logIn({ m, site }, mailbox, 'ann@example.com')
  const unused = await (async () => {
    await createVisitor(site).send('/membership/login', { email: 'ann@example.com' })
    await m.runDueJobs()
    return mailbox.link('ann@example.com')
  })()
  await ann.send('/membership/account', { email: 'ann@new.example' })
  await m.runDueJobs()
  const undo = fake.outage({ kind: '500' })
  await ann.send(`/membership/cancel/${id}`)
  await m.runDueJobs()
  undo()
  await ann.send('/membership/portal')
  const portal = fake.objects.list('billing_portal.session')[0]
  const readable: Record<string, string> = {
    'key of the provider': fake.secret,
    'secret of the webhook': webhookSecret,
    'secret of the site': secret,
    'login link': unused.split('/').at(-1)!,
    'address link': mailbox.link('ann@new.example').split('/').at(-1)!,
    'form token': await visitor.formToken(),
    'billing portal': String(portal?.url),
  }
  for (const item of [visitor, ann]) {
    readable[`browser of ${item === ann ? 'ann' : 'the buyer'}`] = item.cookies.get('membership_browser')!
    const session = item.cookies.get('membership_session')
    if (session) readable[`session ${createHash('md5').update(session).digest('hex')}`] = session
  }
  const tables = await m.storage.read((db) =>
    db
      .selectFrom('sqlite_master' as never)
      .select('name' as never)
      .where('type' as never, '=', 'table' as never),
  )
  t.true(tables.length > 15)
  let rows = 0
  for (const { name } of tables as { name: string }[]) {
    const all: unknown[] = await m.storage.read((db) => db.selectFrom(name as never).selectAll() as never)
    rows += all.length
    const dump = JSON.stringify(all, (_, value) =>
      isBytes(value) ? Buffer.from(value).toString('latin1') : value,
    )
    for (const [what, value] of Object.entries(readable)) {
      t.true(value.length > 8, what)
      t.false(dump.includes(value), `${what} in the table ${name}`)
    }
  }
  t.true(rows > 20)
  t.true(log.length > 0, 'something was logged')
  for (const [what, value] of Object.entries(readable))
    t.false(log.join('\n').includes(value), `${what} in the log`)
})

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

/** Bought without an account, and not come back yet. */
async function bought(opened: Awaited<ReturnType<typeof openStripeSite>>, email: string) {
  const visitor = createVisitor(opened.site)
  const begun = await visitor.send('/membership/subscribe/team')
  await opened.fake.pay(opened.fake.objects.list('checkout.session').at(-1)!.id, { email })
  await opened.fake.deliver()
  return { visitor, path: `/membership/subscribe/${begun.json.intent_id}` }
}

test('a confirmation page opens a session once, within an hour, and never after a logout, a verification or a deletion', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m, site } = opened
  const enters = async ({ visitor, path }: Awaited<ReturnType<typeof bought>>) => {
    visitor.cookies.delete('membership_session')
    t.regex((await visitor.get(path)).text, /Paid|Thank you/)
    return visitor.cookies.has('membership_session')
  }
  const once = await bought(opened, 'once@example.com')
  t.true(await enters(once))
  t.false(await enters(once), 'once')
  await fake.advance({ days: 200 })
  t.false(await enters(once), 'long after')

  const late = await bought(opened, 'late@example.com')
  await fake.advance({ ms: 3_600_001 })
  t.false(await enters(late), 'an hour later')

  const shared = await bought(opened, 'out@example.com')
  t.true(await enters(shared))
  await shared.visitor.send('/membership/logout', { everywhere: '1' })
  t.false(await enters(shared), 'after a logout')

  const proved = await bought(opened, 'proved@example.com')
  await logIn({ m, site }, mailbox, 'proved@example.com')
  t.false(await enters(proved), 'after a verification')

  const leaving = await bought(opened, 'leaving@example.com')
  const { id } = (await m.users.findByEmail('leaving@example.com'))!
  const end = fake.outage({ kind: '503' })
  t.is((await m.users.delete(id)).done_at, null)
  t.false(await enters(leaving), 'while the provider does not confirm the deletion')
  end()
  await fake.advance({ ms: 61_000 })
  await m.runDueJobs()
  t.not((await m.users.delete(id)).done_at, null)
  t.false(await enters(leaving), 'after a deletion')
})

test('a form from another site, without an origin or from another session is refused', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, site } = opened
  const { port } = new URL(site)
  await m.users.create({ email: 'ann@example.com', verified: true })
  const ann = await logIn(opened, mailbox, 'ann@example.com')
  const rename = (headers: Record<string, string>) =>
    ann.send('/membership/account', { name: 'Mallory' }, { accept: 'application/json', ...headers })
  const foreign: Record<string, string>[] = [
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `http://sub.127.0.0.1:${port}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: site, 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'none' },
  ]
  for (const headers of foreign) t.is((await rename(headers)).json.code, 'ERR_CSRF', JSON.stringify(headers))
  // A page under `Referrer-Policy: no-referrer` says this of itself.
  t.is((await rename({ origin: 'null', 'sec-fetch-site': 'same-origin' })).status, 200)
  t.is((await rename({ origin: site })).status, 200)

  // A browser cookie that a sub-domain put in front of ours, with the form token that was made for it.
  const mallory = createVisitor(site)
  const tossed = { token: await mallory.formToken(), browser: mallory.cookies.get('membership_browser')! }
  const session = ann.cookies.get('membership_session')!
  const answer = await fetch(`${site}/membership/account`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      cookie: `membership_browser=${tossed.browser}; membership_session=${session}`,
    },
    body: new URLSearchParams({ token: tossed.token, name: 'Tossed' }),
  })
  t.is(answer.status, 403)
  t.is((await m.users.findByEmail('ann@example.com'))?.name, 'Mallory')
})

test('over https cookies are bound to the host, and others of the same name do not count', async (t) => {
  const mailbox = createMailbox()
  const { m, site } = await openStripeSite(t, {
    ...mailbox.options,
    'membership.url': 'https://site.example',
  })
  await m.users.create({ email: 'ann@example.com', verified: true })
  const first = await fetch(`${site}/membership/login`, { headers: { accept: 'text/html' } })
  const line = first.headers.getSetCookie().join()
  t.regex(line, /^__Host-membership_browser=[^;]+; path=\/;.*secure; httponly/i)
  t.notRegex(line, /domain/i)
  const token = /name="token" value="([^"]*)"/.exec(await first.text())![1]!
  const value = /=([^;]+)/.exec(line)![1]!
  const ask = (cookie: string) =>
    fetch(`${site}/membership/login`, {
      method: 'POST',
      headers: { accept: 'application/json', cookie },
      body: new URLSearchParams({ token, email: 'ann@example.com' }),
    })
  t.is((await ask(`membership_browser=${value}`)).status, 403, 'as a sub-domain can set it')
  t.is((await ask(`__Host-membership_browser=${value}`)).status, 202)
})

import test from 'ava'
import { createMembership } from '../../src/index.ts'

const secret = 'thirty-two-bytes-of-this-test-0123456789'

test('the visitor as JSON says what is open and sold, in the visitor’s words, and has no secret', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.secret': secret,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: {
        name: 'Pro',
        features: ['Every export'],
        opens: ['export'],
        prices: [
          { id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'pro_once', amount: 9900, currency: 'EUR' },
        ],
      },
    },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    identify: ({ headers }) =>
      headers.get('x-user') === null ? null : { email: headers.get('x-user') ?? '' },
  })
  t.teardown(() => m.close())
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await m.fetch(new Request('https://example.com/membership/me', { headers }))
    t.is(answer.status, 200)
    t.is(answer.headers.get('cache-control'), 'private, no-store')
    const text = await answer.text()
    t.false(text.includes(secret))
    return JSON.parse(text)
  }
  const visitor = await ask()
  t.deepEqual([visitor.member, visitor.gates, visitor.cards], [null, [], []])
  t.deepEqual([visitor.plans[0].lines, visitor.plans[0].features], [['Every export'], ['Every export']])
  t.deepEqual(
    visitor.plans[0].prices.map(({ amount, per, action }: Record<string, unknown>) => ({
      amount,
      per,
      action,
    })),
    [
      {
        amount: '€9',
        per: 'per month',
        action: { url: '/membership/order?plan=pro&price=pro_monthly', label: 'Subscribe' },
      },
      { amount: '€99', per: '', action: { url: '/membership/order?product=pro_once', label: 'Subscribe' } },
    ],
  )
  const order = await m.fetch(new Request(`https://example.com${visitor.plans[0].prices[0].action.url}`))
  t.is(order.status, 200)

  const { id } = await m.users.create({ email: 'ada@example.com', name: 'Ada', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const asAda = { 'x-user': 'ada@example.com', 'accept-language': 'de' }
  const ada = await ask(asAda)
  t.deepEqual(ada.member, { id, email: 'ada@example.com', name: 'Ada', app_user_id: null })
  t.true(['pro', 'export'].every((gate) => ada.gates.includes(gate)))
  t.is(ada.cards[0].title, 'Pro')
  t.is(ada.words.account, 'Konto')
  t.not(ada.token, '')
  const onServer = await m.pages.visitor(new Request('https://example.com/', { headers: asAda }))
  t.deepEqual(JSON.parse(JSON.stringify(onServer)), { ...ada, token: '' })
})

test('a price states its trial once, on the page of prices and as JSON', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.secret': secret,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: {
        name: 'Pro',
        prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 }],
      },
    },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    now: () => new Date('2026-03-10T09:00:00.000Z'),
  })
  t.teardown(() => m.close())
  const terms = 'Nothing today, €9 on 24 March, then €9 per month until you cancel.'
  const request = (path: string) => new Request(`https://example.com${path}`)
  const page = await (await m.fetch(request('/membership/prices'))).text()
  t.deepEqual(
    [...page.matchAll(/<p class="price-note">([^<]+)<\/p>/g)].map(([, note]) => note),
    [terms],
  )
  t.regex(page, /<button>Start free trial/)
  const visitor = await m.pages.visitor(request('/'))
  t.deepEqual(visitor.plans[0]?.prices[0]?.notes, [terms])
})

test('an app reads its user id where a provider reads a store, and only there', async (t) => {
  const open = async (more: Record<string, unknown>) => {
    const m = await createMembership({
      'membership.database.url': 'sqlite::memory:',
      'membership.compare.automatic': false,
      install: false,
      root: false,
      log: () => {},
      identify: () => ({ email: 'ada@example.com' }),
      ...more,
    })
    t.teardown(() => m.close())
    const answer = await m.fetch(new Request('https://example.com/membership/me'))
    return { m, member: ((await answer.json()) as { member: { app_user_id: string | null } }).member }
  }
  const { m, member } = await open({
    'membership.providers.revenuecat': { secret: 'sk_a', project: 'proj1', webhook: 'long random text' },
  })
  t.is(member.app_user_id, await m.appUserId((await m.users.findByEmail('ada@example.com'))!))
  t.regex(member.app_user_id ?? '', /^[0-9a-f-]{36}$/)
  t.is((await open({})).member.app_user_id, null)
})

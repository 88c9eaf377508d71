import test, { type ExecutionContext } from 'ava'
import { englishIn } from '../../support/english.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, type Visitor } from '../../support/visitor.ts'

function posts(fake: Pick<StripeSite['fake'], 'requests'>, path: RegExp) {
  return fake.requests().filter((request) => request.method === 'POST' && path.test(request.path))
}

test('a preview costs nothing, and sending its moment back fixes the amounts', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ days: 10 })
  const before = fake.objects.list('invoice').length
  const preview = await visitor.send(`/membership/invoice/${id}`, { plan: 'team', quantity: '2' })
  t.is(preview.status, 200, preview.text)
  t.is(fake.objects.list('invoice').length, before)
  t.is(preview.json.currency, 'EUR')
  // 21 of 31 days are left of 900 paid and of 2 × 2500: 609.68 back, 3387.10 more.
  t.deepEqual(
    preview.json.lines.map((line: { amount: number }) => line.amount),
    [-610, 3387],
  )
  t.is(preview.json.amount_due, 2777)
  await fake.advance({ ms: 3 * 60_000 })
  const { proration_at } = preview.json
  const changed = await visitor.send(`/membership/change/${id}`, {
    plan: 'team',
    quantity: '2',
    proration_at,
  })
  t.is(changed.status, 200, changed.text)
  t.is(changed.json.subscription.price_id, 'price_team')
  t.is(changed.json.subscription.quantity, 2)
  const invoice = fake.objects.list('invoice').at(-1)
  t.is(invoice?.total, preview.json.total)
  t.is(invoice?.amount_paid, preview.json.amount_due)
})

test('the preview is a page whose form makes exactly the shown change', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ days: 3 })
  const page = await visitor.send(
    `/membership/invoice/${id}`,
    { price: 'price_team' },
    { accept: 'text/html' },
  )
  t.is(page.status, 200)
  t.regex(page.headers.get('content-type') ?? '', /html/)
  t.true(page.text.includes(`action="/membership/change/${id}"`), page.text)
  const fields = Object.fromEntries(
    [
      ...page.text
        .split('class="confirm"')[1]!
        .split('</form>')[0]!
        .matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g),
    ].map(([, name, value]) => [name, value]),
  )
  const changed = await visitor.send(`/membership/change/${id}`, fields as Record<string, string>, {
    accept: 'text/html',
  })
  t.is(changed.status, 303, changed.text)
  t.is(changed.location, '/membership/account')
  await fake.deliver()
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions()[0]?.price_id, 'price_team')
})

for (const proration of ['now', 'next', 'none'])
  test(`a card declined at a change leaves everything unchanged, proration ${proration}`, async (t) => {
    const opened = await openStripeSite(t, {
      'membership.providers.stripe.change.proration': ['now', 'next', 'none'],
    })
    const { fake, m } = opened
    const { visitor, id } = await buy(opened, 'ann@example.com')
    fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
    await fake.advance({ days: 10 })
    // Another interval is paid at once, whatever is said about the rest of this one.
    const changed = await visitor.send(`/membership/change/${id}`, { price: 'price_year', proration })
    t.is(changed.status, 402, changed.text)
    t.is(changed.json.code, 'ERR_PAYMENT_DECLINED')
    await fake.deliver()
    await m.runDueJobs()
    const own = (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
    t.is(own.price_id, 'price_month')
    t.is(own.status, 'active')
    fake.useCard(fake.objects.list('customer')[0]!.id, '4242424242424242')
    t.is(fake.objects.list('subscription')[0]?.pending_update, null)
    t.is((await visitor.send(`/membership/change/${id}`, { price: 'price_year', proration })).status, 200)
  })

test('`swap` on the subscribe form changes the existing plan, with its quantity', async (t) => {
  const opened = await openStripeSite(t)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await opened.fake.advance({ ms: 5000 })
  const refused = await visitor.send('/membership/subscribe/team')
  t.is(refused.status, 409)
  t.is(refused.json.code, 'ERR_CHECKOUT_REFUSED')
  t.is(refused.json.subscription_id, id)
  t.is(refused.json.change_url, `/membership/change/${id}`)
  const changed = await visitor.send('/membership/subscribe/team', { swap: '1', quantity: '3' })
  t.is(changed.status, 200, changed.text)
  t.is(changed.json.subscription.id, id)
  t.is(changed.json.subscription.price_id, 'price_team')
  t.is(changed.json.subscription.quantity, 3)
  const kept = await visitor.send('/membership/subscribe/pro', { swap: '1', price: 'price_month' })
  t.is(kept.json.subscription.quantity, 3, 'what is not said stays')
  t.is(opened.fake.objects.list('checkout.session').length, 1)
})

test('cancelled at the end, resumed, cancelled now, bought again', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const own = async () => (await m.users.findByEmail('ann@example.com'))!
  await fake.advance({ ms: 5000 })
  const cancelled = await visitor.send(`/membership/cancel/${id}`)
  t.true(cancelled.json.subscription.cancel_at_period_end)
  t.true((await own()).subscriptions()[0]?.on_grace_period, 'known before any message')
  const asked = posts(fake, /subscriptions/).length
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  t.is(posts(fake, /subscriptions/).length, asked, 'asked again, nothing is left to do')
  await fake.advance({ ms: 5000 })
  const renewed = await visitor.send(`/membership/renew/${id}`)
  t.is(renewed.status, 200, renewed.text)
  t.false((await own()).subscriptions()[0]?.cancel_at_period_end)
  await fake.advance({ ms: 5000 })
  const ended = await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  t.is(ended.json.subscription.status, 'canceled')
  t.false((await own()).hasGate('pro' as never))
  for (const path of ['cancel', 'resume', 'pause', 'change', 'invoice']) {
    const refused = await visitor.send(`/membership/${path}/${id}`, { price: 'price_team' })
    t.is(refused.json.code, 'ERR_ACTION_REFUSED', path)
  }
  const again = await visitor.send(`/membership/renew/${id}`, {}, { accept: 'text/html' })
  t.is(again.status, 303)
  const session = fake.objects.list('checkout.session').at(-1)!
  t.is(again.location, session.url)
  await fake.pay(session.id)
  await fake.deliver()
  t.true((await own()).hasGate('pro' as never))
  t.is((await own()).subscriptions().length, 2)
})

test('a failed renewal is paid on the provider’s page', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m } = opened
  const { id } = await buy(opened, 'ann@example.com')
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, days: 1 })
  await fake.deliver()
  const visitor = await logIn(opened, mailbox, 'ann@example.com')
  const view = await m.viewOf(await m.users.findByEmail('ann@example.com'))
  t.is(view.user()!.subscriptions()[0]?.status, 'past_due')
  const { action, url } = view.provider().subscriptionAction('price_month' as never)
  t.is(action, 'renew')
  t.is(url, `/membership/renew/${id}`)
  const open = fake.objects.list('invoice').find(({ status }) => status === 'open')
  t.is((await visitor.send(url!)).json.url, open?.hosted_invoice_url)
  t.is((await visitor.send(url!, {}, { accept: 'text/html' })).location, String(open?.hosted_invoice_url))
})

/** Where a member sees each page of ours: the parameters of its route, and for a POST its form. */
function shownAt(at: {
  readonly due: string
  readonly other: string
  readonly stopping: string
  readonly links: Readonly<
    Record<'intent' | 'book' | 'payment' | 'pay' | 'calm' | 'login' | 'email' | 'undo' | 'merge', string>
  >
}): Readonly<Record<string, readonly [string, Record<string, string>?]>> {
  const { due, other, stopping, links } = at
  const changed = { shown: 'something else' }
  const team = { price: 'price_team', ...changed }
  const named = { name: 'Ann', email: 'ann@example.com', contract: 'Pro' }
  return {
    'GET /membership/subscribe/:token': [links.intent],
    'POST /membership/subscribe/:plan': ['third', { price: 'price_third', ...changed }],
    'GET /membership/payment/:token': [links.book],
    'POST /membership/payment': ['', { product: 'price_second_book', ...changed }],
    'GET /membership/change/:subscription': [`${other}?price=price_team`],
    'POST /membership/change/:subscription': [other, team],
    'POST /membership/invoice/:subscription': [other, team],
    'GET /membership/cancel/:subscription': [due],
    'POST /membership/cancel/:subscription': [due, changed],
    'GET /membership/pause/:subscription': [`${other}?until=2027-02-01`],
    'POST /membership/pause/:subscription': [other, { until: '2027-02-01', ...changed }],
    'GET /membership/discount/:subscription': [other],
    'POST /membership/discount/:subscription': [other, changed],
    'GET /membership/resume/:subscription': [stopping],
    'POST /membership/resume/:subscription': [stopping, changed],
    'GET /membership/switch': [''],
    'GET /membership/order': ['?product=price_book'],
    'GET /membership/pay/:token': [links.pay],
    'GET /membership/price/:token': ['a-link-that-is-none'],
    'GET /membership/unsubscribe/:token': [links.calm],
    'POST /membership/unsubscribe/:token': [links.calm, {}],
    'GET /membership/account': [''],
    'GET /membership/prices': [''],
    'GET /membership/login': [''],
    'POST /membership/login': ['', { email: 'ann@example.com' }],
    'GET /membership/login/:token': [links.login],
    'GET /membership/account/delete': [''],
    'POST /membership/account/compare': ['', {}],
    'GET /membership/account/email/:token': [links.email],
    'GET /membership/account/email-undo/:token': [links.undo],
    'GET /membership/account/merge/:token': [links.merge],
    'GET /membership/account/merge-back/:token': ['a-link-that-is-none'],
    'GET /membership/payments/:payment': [links.payment],
    'GET /membership/invoices/:payment': [links.payment],
    'GET /membership/gift/:plan': ['pro'],
    'GET /membership/gifts/:gift': ['a-gift-that-is-none'],
    'GET /membership/redeem': [''],
    'GET /membership/redeem/:code': ['A-CODE-THAT-IS-NONE'],
    'GET /membership/group/:subscription': ['a-group-that-is-none'],
    'GET /membership/join/:token': ['a-link-that-is-none'],
    'GET /membership/cancel': [''],
    'POST /membership/cancel': ['', named],
    'GET /membership/withdraw': [''],
    'POST /membership/withdraw': ['', named],
  }
}
/** What leads on to a page of the site's or of the provider's, and what is for programs. */
const showsNoPage =
  /^(POST \S+\/(gift\/:plan|gifts\/:gift|redeem(\/:code)?|group\/:subscription(\/\w+)?|join\/:token|renew\/:subscription|portal|(pay|price)\/:token|log(in\/:token|out)|language|account(\/delete|\/merge|\/(merge|email)(-back|-undo)?\/:token)?|webhooks\/:provider)|GET \S+\/(gift\/:plan\/order|export|health|pass|jwks\.json|me|(files|feeds)\/:token\/:name|audit\/:token|assets\/:file|errors\/:code|openapi\.json)|\* \S+)$/

test('every page of ours shows the failed payment, the end of access and one button to pay, in German for German readers', async (t) => {
  const { m, site, visitor, at } = await openOwing(t)
  const shown = shownAt(at)
  // A membership that only ends has a button of its own, which takes that back.
  const toPay = new RegExp(`action="/membership/(renew/${at.due}"|pay/)`, 'g')
  const routes = m.listRoutes().map(({ method, path }) => `${method} ${path}`)
  for (const route of routes)
    t.true(route in shown !== showsNoPage.test(route), `${route}: where is it seen?`)
  for (const [route, seen] of Object.entries(shown)) {
    t.true(routes.includes(route), `${route} is gone`)
    for (const [language, words] of Object.entries(owed)) {
      const { page, said } = await seenAs(visitor, route, { seen, language })
      t.regex(page.headers.get('content-type') ?? '', /^text\/html/, said)
      t.regex(page.text, words, said)
      const buttons = page.text.match(toPay) ?? []
      t.is(buttons.length, 1, said)
      t.true(page.text.includes(`<html lang="${language}"`), said)
      if (language === 'de') t.deepEqual(englishIn(page.text), [], route)
    }
  }
  t.notRegex(await (await fetch(`${site}/membership/login`)).text(), /The payment of/, 'nobody else reads it')
})

const owed = {
  en: /The payment of €9 for Pro, monthly failed on 15 February 2026\. You keep access until 8 March 2026\./,
  de: /Die Zahlung von 9\s€ für Pro, monatlich ist am 15\. Februar 2026 fehlgeschlagen\. Sie behalten den Zugang bis 8\. März 2026\./,
}

/** The page of a route; a purchase is shown on the page of its order. */
async function seenAs(
  visitor: Visitor,
  route: string,
  { seen: [given, form], language }: { seen: readonly [string, Record<string, string>?]; language: string },
) {
  const [method = '', path = ''] = route.split(' ')
  const to = /:\w+$/.test(path) ? path.replace(/:\w+$/, given) : `${path}${given}`
  const headers = { accept: 'text/html', 'accept-language': language }
  const sent = await (method === 'GET' ? visitor.get(to, headers) : visitor.send(to, form, headers))
  const isOrder = sent.location?.startsWith('/membership/order?') === true
  const page = isOrder ? await visitor.get(sent.location!, headers) : sent
  return { page, said: `${route}: ${page.status} ${page.location ?? ''} ${page.text}` }
}

/** A member with a membership whose renewal failed, one that is well and one that was cancelled, and the links of mails. */
async function openOwing(t: ExecutionContext) {
  const mailbox = createMailbox()
  const price = (id: string, amount: number, interval?: 'month' | 'year') => ({
    id,
    amount,
    currency: 'EUR',
    ...(interval ? { interval } : {}),
  })
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.shop.country': 'DE',
    'membership.providers.stripe.pause': { max_days: 30 },
    'membership.providers.stripe.plans': {
      pro: { name: 'Pro', prices: [price('price_month', 900, 'month')] },
      team: { prices: [price('price_year', 9000, 'year'), price('price_team', 2500, 'month')] },
      club: { prices: [price('price_club', 1000, 'year')] },
      third: { prices: [price('price_third', 1000, 'year')] },
      book: { prices: [price('price_book', 1900)] },
      second_book: { prices: [price('price_second_book', 1900)] },
    },
  })
  const { m, fake } = opened
  for (const id of ['price_club', 'price_third'])
    fake.addPrice({ id, unit_amount: 1000, currency: 'eur', recurring: { interval: 'year' } })
  fake.addPrice({ id: 'price_second_book', unit_amount: 1900, currency: 'eur' })
  const email = 'ann@example.com'
  const first = await buy(opened, email)
  const { visitor } = first
  const also = (path: string, what: Record<string, string>) => buy(opened, email, { path, visitor, ...what })
  await also('/membership/subscribe/team', { price: 'price_year' })
  await also('/membership/subscribe/club', { price: 'price_club' })
  const book = await also('/membership/payment', { product: 'price_book' })
  const idOf = (price: string) => book.user.subscriptions().find(({ price_id }) => price_id === price)!.id
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  for (let n = 0; n < 5; n++) {
    await fake.deliver()
    await m.runDueJobs()
    await fake.advance({ ms: 30_000 })
  }
  await logIn(opened, mailbox, email, visitor)
  await m.subscriptions.cancel({ user: book.user, subscriptionId: idOf('price_club'), when: 'period_end' })

  const move = async (to: string) => {
    await visitor.send('/membership/account', { email: to })
    await m.runDueJobs()
    return mailbox.link(to)
  }
  await visitor.send(await move('ann@new.example'))
  await m.runDueJobs()
  const undo = mailbox.link(email)
  const change = await move('ann@newest.example')
  await visitor.send('/membership/account/merge', { email: 'ann@work.example' })
  await m.runDueJobs()
  const merge = mailbox.link('ann@new.example')
  await visitor.send('/membership/login', { email: 'ann@new.example' })
  await m.runDueJobs()
  const last = (path: string) => path.split('/').at(-1)!
  const found = (pattern: RegExp) =>
    mailbox.sent.map((mail) => pattern.exec(`${JSON.stringify(mail)}`)?.[1]).find(Boolean)!
  return {
    ...opened,
    visitor,
    at: {
      due: idOf('price_month'),
      other: idOf('price_year'),
      stopping: idOf('price_club'),
      links: {
        intent: first.intentId,
        book: book.intentId,
        payment: book.user.payments()[0]!.id,
        pay: found(/membership\/pay\/([\w.-]+)/),
        calm: found(/membership\/unsubscribe\/([\w.-]+)/),
        login: last(mailbox.link('ann@new.example')),
        email: last(change),
        undo: last(undo),
        merge: last(merge),
      },
    },
  }
}

test('the portal opens for buyers, and returns here', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site } = opened
  const { visitor } = await buy(opened, 'ann@example.com')
  const answer = await visitor.send('/membership/portal', { redirect: '/account?tab=cards#top' })
  t.is(answer.status, 201, answer.text)
  const session = fake.objects.list('billing_portal.session')[0]!
  t.is(answer.json.url, session.url)
  t.is(session.return_url, `${site}/account?tab=cards#top`)
  const unknown = await visitor.send('/membership/portal', { provider: 'paddle' })
  t.is(unknown.json.code, 'ERR_ACTION_REFUSED')
})

test('code, currency, quantity and trial reach the provider; a wrong code is reported before the checkout', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      pro: { prices: ['price_month'] },
      team: { prices: [{ id: 'price_team', trial_days: 14 }], quantity: { max: 4 } },
    },
    'membership.providers.stripe.checkout': { allow_promotion_codes: true },
  })
  const { fake, site } = opened
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'once', code: 'HALF' })
  const visitor = createVisitor(site)
  const wrong = await visitor.send('/membership/subscribe/team', { code: 'NONE' })
  t.is(wrong.json.code, 'ERR_FORM', wrong.text)
  t.is(fake.objects.list('checkout.session').length, 0)
  const begun = await visitor.send('/membership/subscribe/team', { quantity: '4' })
  t.is(begun.status, 201, begun.text)
  const [session] = fake.objects.list('checkout.session')
  t.is(session?.amount_total, 0, 'a trial costs nothing at first')
  t.true(session?.allow_promotion_codes)
  await fake.pay(session!.id, { email: 'ann@example.com' })
  await fake.deliver()
  const subscription = fake.objects.list('subscription')[0]!
  t.is(subscription.status, 'trialing')
  t.is(subscription.items.data[0]?.quantity, 4)
  t.is(subscription.trial_end! - subscription.trial_start!, 14 * 86_400)
  t.true((await opened.m.users.findByEmail('ann@example.com'))?.subscriptions()[0]?.on_trial)
})

test('a typed code counts even if the site enables codes on the payment page', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.checkout': { allow_promotion_codes: true },
  })
  const { fake, site } = opened
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'once', code: 'HALF' })
  const begun = await createVisitor(site).send('/membership/subscribe/team', { code: 'HALF' })
  t.is(begun.status, 201, begun.text)
  t.is(fake.objects.list('checkout.session')[0]?.amount_total, 1250)
})

for (const kind of ['object', 'function'])
  test(`a site’s additions reach the provider but cannot override our fields or the returning buyer, as ${kind}`, async (t) => {
    const checkout = {
      mode: 'payment',
      line_items: [{ price: 'price_book', quantity: 9 }],
      success_url: 'https://evil.example/',
      cancel_url: 'https://evil.example/',
      locale: 'de',
      client_reference_id: 'campaign-7',
      metadata: { membership_intent: 'forged', colour: 'red' },
      subscription_data: { description: 'A year of tides', metadata: { price_id: 'price_year' } },
    }
    const metadata = { membership_intent: 'forged', campaign: 7 }
    const seen: unknown[] = []
    const opened = await openStripeSite(t, {
      'membership.providers.stripe.checkout':
        kind === 'object'
          ? checkout
          : (context: unknown) => {
              seen.push(context)
              return checkout
            },
      'membership.providers.stripe.metadata': kind === 'object' ? metadata : () => metadata,
    })
    const begun = await createVisitor(opened.site).send('/membership/subscribe/pro', { price: 'price_month' })
    t.is(begun.status, 201, begun.text)
    const [session] = opened.fake.objects.list('checkout.session')
    const back = `${opened.site}/membership/subscribe/${begun.json.intent_id}`
    t.is(session?.success_url, back)
    t.is(session?.cancel_url, `${opened.site}/`)
    t.is(session?.mode, 'subscription')
    t.is(session?.amount_total, 900)
    t.is(session?.locale, 'de')
    t.is(session?.client_reference_id, 'campaign-7')
    t.like(session?.metadata, { membership_intent: begun.json.intent_id, colour: 'red', campaign: '7' })
    if (kind === 'function')
      t.like(seen[0], { price: 'price_month', plan: 'pro', intentId: begun.json.intent_id, user: null })
  })

test('polling a checkout does not use up the visitor’s limit; an unknown checkout does', async (t) => {
  const { site } = await openStripeSite(t, { 'membership.ratelimit.limit': 5 })
  const visitor = createVisitor(site)
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  const left = 5 - 2
  for (let looks = 0; looks < 40; looks++) {
    const page = await visitor.get(`/membership/subscribe/${begun.json.intent_id}`)
    t.is(page.status, 200, page.text)
    t.regex(page.text, /http-equiv="refresh"/)
  }
  for (let guesses = 0; guesses < left; guesses++)
    t.is((await visitor.get(`/membership/subscribe/guess-${guesses}`)).status, 404)
  t.is((await visitor.get('/membership/subscribe/another')).status, 429)
  t.is((await visitor.get('/membership/login')).status, 429)
})

test('a double click returns to the same checkout; another choice closes it', async (t) => {
  const { fake, site } = await openStripeSite(t)
  const visitor = createVisitor(site)
  const first = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  const second = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(second.json.url, first.json.url)
  const other = await visitor.send('/membership/subscribe/team')
  t.not(other.json.url, first.json.url)
  const states = fake.objects.list('checkout.session').map(({ status }) => status)
  t.deepEqual(states, ['expired', 'open'])
  t.is(posts(fake, /checkout\/sessions$/).length, 2)
})

test('a final refusal by the provider blocks nothing', async (t) => {
  let currency: string | null = 'usd'
  const { fake, site } = await openStripeSite(t, {
    'membership.providers.stripe.checkout': () => (currency === null ? {} : { expires_at: 1 }),
  })
  const visitor = createVisitor(site)
  const refused = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(refused.status, 502, refused.text)
  t.is(refused.json.code, 'ERR_PROVIDER_ANSWER')
  // The site mends its configuration; the same buyer chooses the same.
  currency = null
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(begun.status, 201, begun.text)
  t.is(fake.objects.list('checkout.session').length, 1)
})

test('a failure that Stripe repeats for its key gets another key; after a lost answer the key stays', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site, m } = opened
  const keysOf = (path: RegExp) => [
    ...new Set(posts(fake, path).map(({ idempotency_key }) => idempotency_key)),
  ]

  const visitor = createVisitor(site)
  await visitor.formToken()
  fake.outage({ kind: 'saved', requests: 1 })
  const failed = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(failed.status, 502, failed.text)
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(begun.status, 201, begun.text)
  t.is(keysOf(/checkout\/sessions$/).length, 2)

  // Closing it for something else, and opening that one.
  fake.outage({ kind: 'saved', requests: 1 })
  const other = await visitor.send('/membership/subscribe/team')
  t.is(other.status, 201, other.text)
  const silent = fake.outage({ kind: 'after' })
  await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  silent()
  const before = keysOf(/checkout\/sessions$/).length
  t.is((await visitor.send('/membership/subscribe/pro', { price: 'price_month' })).status, 201)
  t.is(keysOf(/checkout\/sessions$/).length - before, 1, 'closed in silence; opened with a key of its own')

  const { visitor: ann, id } = await buy(opened, 'ann@example.com')
  fake.outage({ kind: 'saved', requests: 1 })
  t.is((await ann.send(`/membership/cancel/${id}`)).status, 502)
  const cancelled = await ann.send(`/membership/cancel/${id}`)
  t.is(cancelled.status, 200, cancelled.text)

  fake.outage({ kind: 'saved', requests: 1 })
  t.is((await ann.send('/membership/account', { name: 'Ann Two' })).status, 200)
  await m.runDueJobs()
  for (let n = 0; n < 2; n++) {
    await fake.advance({ ms: 60_000 })
    await m.runDueJobs()
  }
  t.is(fake.objects.list('customer').at(-1)?.name, 'Ann Two')
})

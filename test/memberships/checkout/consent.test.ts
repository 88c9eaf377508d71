import test, { type ExecutionContext } from 'ava'
import { plainVoice } from '../../../src/core/words/index.ts'
import type { MembershipOptions } from '../../../src/index.ts'
import { previewWords } from '../../../src/memberships/checkout/action-preview.ts'
import { prospectOfChange } from '../../../src/memberships/checkout/changing.ts'
import { shownOfOffer } from '../../../src/memberships/checkout/offer-shown.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, prove } from '../../support/visitor.ts'

const html = { accept: 'text/html' }

/** The facts of a page that shows what an action does, its button, and the fields of its form. */
function read(page: string) {
  return {
    facts: [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(
      ([, name, text]) => `${name}: ${text}`,
    ),
    button: /<form class="confirm"[\s\S]*?<button>([^<]*)<\/button>/.exec(page)?.[1],
    fields: Object.fromEntries<string>(
      [
        ...(/<form class="confirm"[\s\S]*?<\/form>/.exec(page)?.[0] ?? '').matchAll(
          /<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g,
        ),
      ]
        .map(([, name, value]) => [name!, value!] as const)
        .filter(([name]) => name !== 'token'),
    ),
  }
}
function statusLine(page: string) {
  return /<p role="status">([^<]*)<\/p>/.exec(page)?.[1] ?? null
}

async function open(
  t: Parameters<typeof openStripeSite>[0],
  options: MembershipOptions = {},
  path = '/membership/subscribe/pro',
) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...options })
  await opened.m.operator.catalogue.refresh('stripe')
  const bought = await buy(opened, 'ann@example.com', { path })
  const held = async () => {
    await opened.fake.deliver()
    return (await opened.m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
  }
  const calls = () =>
    opened.fake.requests().filter(({ method, path: to }) => method === 'POST' && !to.includes('preview'))
      .length
  const again = () => logIn(opened, mailbox, 'ann@example.com')
  return { ...opened, ...bought, held, calls, again }
}

test('a change shows from, to, today’s and the next payment, and its form does exactly that', async (t) => {
  const { fake, visitor, id, held } = await open(t)
  await fake.advance({ days: 3 })
  const page = await visitor.get(`/membership/change/${id}?price=price_team`, html)
  t.is(page.status, 200, page.text)
  const { facts, button, fields } = read(page.text)
  // 28 of 31 days are left: 22.58 of 25 less 8.13 of 9, as Stripe counts them.
  t.deepEqual(facts, [
    'You have: Pro, monthly: €9 per month',
    'You get: Team, monthly: €25 per month',
    'Starts: at once',
    'Due today: €14.45',
    'Next payment: €25 on 15 February',
  ])
  t.is(button, 'Pay €14.45 and change to Team, monthly')
  t.false(
    Object.values(fields).some((value) => /1445|14\.45|2500/.test(value)),
    'no amount is sent',
  )
  const done = await visitor.send(`/membership/change/${id}`, fields, html)
  t.is(done.status, 303, done.text)
  t.is(fake.objects.list('invoice').at(-1)?.amount_paid, 1445)
  t.is((await held()).price_id, 'price_team')
})

test('a scheduled change shows its date, and how long the current plan stays', async (t) => {
  const { visitor, id } = await open(t, {}, '/membership/subscribe/team')
  const { facts, button } = read((await visitor.get(`/membership/change/${id}?price=price_month`, html)).text)
  t.deepEqual(facts, [
    'You have: Team, monthly: €25 per month',
    'You get: Pro, monthly: €9 per month',
    'Starts: 15 February',
    'Access: You keep Team, monthly until 15 February.',
    'Due today: €0',
    'Next payment: €9 on 15 February',
  ])
  t.is(button, 'Change to Pro, monthly on 15 February')
})

test('a provider without previews is said to compute the cost', (t) => {
  const cost = { currency: 'EUR', interval: 'month' as const, interval_count: 1 }
  const subscription = { ...cost, id: 's', provider: 'p', price_id: 'a', quantity: 1, unit_amount: 900 }
  const plan = {
    does: 'now' as const,
    proration: 'now' as const,
    priceId: 'b',
    quantity: 1,
    cost: { ...cost, amount: 2500 },
  }
  const now = new Date('2026-01-15T12:00:00Z')
  const held = { ...subscription, current_period_end: '2026-02-15T12:00:00.000Z', cancel_at: null }
  const prospect = prospectOfChange({ subscription: held as never, plan }, null, now)
  const { facts, button } = previewWords(prospect, { voice: plainVoice(), plans: [], now })
  const told = Object.fromEntries(facts.map(({ label, text }) => [label, text]))
  t.regex(told['Due today']!, /^The payment provider calculates the exact amount/)
  t.is(told['Next payment'], 'on 15 February; the payment provider calculates the amount')
  t.regex(button, /and pay the difference$/)
})

test('an outdated confirmation does nothing and shows the new page', async (t) => {
  const { fake, visitor: before, id, calls, held, again } = await open(t)
  const { fields } = read((await before.get(`/membership/change/${id}?price=price_team`, html)).text)
  const cancel = read((await before.get(`/membership/cancel/${id}`, html)).text)
  t.is(cancel.button, 'Cancel on 15 February')
  // A renewal in between.
  await fake.advance({ months: 1, days: 1 })
  t.is((await held()).current_period_end, '2026-03-15T12:00:00.000Z')
  // Sessions last thirty days.
  const visitor = await again()
  const asked = calls()
  const late = await visitor.send(`/membership/cancel/${id}`, cancel.fields, html)
  t.is(late.status, 409)
  t.regex(late.text, /so we did nothing/)
  t.is(read(late.text).button, 'Cancel on 15 March')
  delete fields.proration_at
  const dearer = await visitor.send(`/membership/change/${id}`, fields, html)
  t.is(dearer.status, 409, dearer.text)
  const program = await visitor.send(`/membership/change/${id}`, fields)
  t.is(program.json.code, 'ERR_SHOWN_CHANGED')
  t.is(program.json.prospect.to.price_id, 'price_team')
  t.is(calls(), asked, 'the provider was asked to do nothing')
  const agreed = await visitor.send(`/membership/cancel/${id}`, read(late.text).fields, html)
  t.is(agreed.status, 303)
  t.true((await held()).cancel_at_period_end)
})

test('a digest that confirms one action confirms no other', async (t) => {
  const { visitor, id, held } = await open(t, { 'membership.providers.stripe.pause': { max_days: 30 } })
  const { fields } = read((await visitor.get(`/membership/cancel/${id}`, html)).text)
  for (const [action, more] of [
    ['cancel', { when: 'now' }],
    ['pause', {}],
    ['change', { price: 'price_team' }],
    ['resume', {}],
  ] as const) {
    const answer = await visitor.send(`/membership/${action}/${id}`, { ...fields, ...more }, html)
    t.is(answer.status, 409, action)
  }
  t.like(await held(), {
    status: 'active',
    cancel_at_period_end: false,
    price_id: 'price_month',
    paused_at: null,
  })
})

test('a form without a confirmation is led to the page; a program’s request is executed', async (t) => {
  const { visitor, id, calls, held } = await open(t)
  const asked = calls()
  for (const [action, more] of [
    ['cancel', ''],
    ['change', 'price=price_team&'],
    ['resume', ''],
  ] as const) {
    const fields = { redirect: '/shelf', ...Object.fromEntries(new URLSearchParams(more)) }
    const led = await visitor.send(`/membership/${action}/${id}`, fields, html)
    t.is(led.status, 303)
    t.is(led.location, `/membership/${action}/${id}?${more}redirect=%2Fshelf`)
  }
  t.is(calls(), asked)
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  t.true((await held()).cancel_at_period_end)
})

test('a cancellation shows the end of access, and offers at most one configured alternative', async (t) => {
  const plain = await open(t)
  const bare = await plain.visitor.get(`/membership/cancel/${plain.id}`, html)
  t.deepEqual(read(bare.text).facts, [
    'You have: Pro, monthly: €9 per month',
    'Ends: 15 February',
    'Due today: €0',
    'Next payment: none, you won’t be charged again',
    'Access: You keep Pro, monthly until 15 February.',
  ])
  t.notRegex(bare.text, /order-alternative/)
  const offering = await open(t, {
    'membership.account.offer': 'pause',
    'membership.providers.stripe.pause': { max_days: 30 },
  })
  const page = await offering.visitor.get(`/membership/cancel/${offering.id}`, html)
  t.true(
    page.text.indexOf('Cancel on 15 February') < page.text.indexOf('order-alternative'),
    'the way out comes first',
  )
  t.is(page.text.match(/class="order-alternative"/g)?.length, 1)
  const pause = await offering.visitor.get(`/membership/pause/${offering.id}`, html)
  t.like(read(pause.text), { button: 'Pause from 15 February to 17 March' })
  t.true(read(pause.text).facts.includes('Next payment: €9 on 17 March'))
})

test('an action is confirmed once, in this browser only, with an undo for a cancellation', async (t) => {
  const { visitor, id, held, site, fake } = await open(t)
  const cancel = async () => {
    const { fields } = read((await visitor.get(`/membership/cancel/${id}`, html)).text)
    await visitor.send(`/membership/cancel/${id}`, fields, html)
  }
  await cancel()
  const stolen = visitor.cookies.get('membership_said')!
  const page = await visitor.get('/membership/login', html)
  t.is(
    statusLine(page.text),
    'Pro, monthly is cancelled. You keep access until 15 February, and you won’t be charged again.',
  )
  t.is(statusLine((await visitor.get('/membership/login', html)).text), null, 'once')

  const other = createVisitor(site)
  await other.get('/membership/login', html)
  other.cookies.set('membership_said', stolen)
  t.is(statusLine((await other.get('/membership/login', html)).text), null, 'nobody else is told')
  t.is(statusLine((await visitor.get('/membership/login?flash=canceled', html)).text), null)

  const undo = /<section class="flash"[\s\S]*?<\/form>/.exec(page.text)?.[0] ?? ''
  const fields = Object.fromEntries(
    [...undo.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, n, v]) => [n!, v!]),
  )
  await fake.advance({ ms: 5000 })
  const undone = await visitor.send(`/membership/resume/${id}`, fields, html)
  t.is(undone.status, 303, undone.text)
  t.false((await held()).cancel_at_period_end)
  t.is(
    statusLine((await visitor.get('/membership/login', html)).text),
    'Pro, monthly continues. Your next payment is on 15 February.',
  )
})

test('a visitor who is not logged in is asked to, and returns to the wanted page', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { id } = await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  const visitor = createVisitor(opened.site)
  const wanted = `/membership/change/${id}?price=price_team`
  const asked = await visitor.get(wanted, html)
  t.is(asked.status, 303)
  t.is(asked.location, `/membership/login?redirect=${encodeURIComponent(wanted)}`)
  t.is((await visitor.get(wanted, { accept: 'application/json' })).status, 401)
  const redirect = /name="redirect" value="([^"]*)"/.exec(
    (await visitor.get(asked.location!, html)).text,
  )![1]!
  await visitor.send('/membership/login', {
    email: 'ann@example.com',
    redirect: redirect.replaceAll('&amp;', '&'),
  })
  await opened.m.runDueJobs()
  t.is((await visitor.send(mailbox.link('ann@example.com'), {}, html)).location, wanted)
  t.is((await (await logIn(opened, mailbox, 'ann@example.com')).get(wanted, html)).status, 200)
})

test('a purchase is made at the shown price, or shown again', async (t) => {
  const { m, site, fake } = await openStripeSite(t)
  const visitor = createVisitor(site)
  const price = m
    .plans()
    .flatMap(({ prices }) => prices)
    .find(({ id }) => id === 'price_book')!
  const buying = (shown: string) =>
    visitor.send('/membership/payment', { product: 'price_book', shown }, html)
  const raised = await buying(shownOfOffer({ ...price, amount: 1500 }, null))
  t.is(raised.status, 409)
  t.true(read(raised.text).facts.includes('Due today: €19'), raised.text)
  t.is(fake.objects.list('checkout.session').length, 0)
  const agreed = await visitor.send('/membership/payment', read(raised.text).fields, html)
  t.is(agreed.status, 303, agreed.text)
  t.is(agreed.location, String(fake.objects.list('checkout.session')[0]?.url))
})

/** Orders a price of a shop in Germany: what its page says, and what it is agreed to with. */
async function ordering(t: ExecutionContext, options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.shop.country': 'DE',
    'membership.providers.stripe.plans': {
      pro: { name: 'Pro', description: 'Every article.', group: 'membership', prices: ['price_month'] },
      team: { group: 'membership', prices: ['price_team'] },
      book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
      mug: { supply: 'other', prices: [{ id: 'price_mug', amount: 900, currency: 'EUR' }] },
    },
    ...options,
  })
  await opened.m.operator.catalogue.refresh('stripe')
  opened.fake.addPrice({ id: 'price_mug', unit_amount: 900, currency: 'eur' })
  const visitor = createVisitor(opened.site)
  const german = { ...html, 'accept-language': 'de' }
  const sessions = () => opened.fake.objects.list('checkout.session')
  /** Clicks on a price, and is shown the order. */
  const order = async (path: string, fields: Record<string, string>, headers = html) => {
    const led = await visitor.send(path, { redirect: '/shelf', ...fields }, headers)
    t.is(led.status, 303, led.text)
    t.true(led.location?.startsWith('/membership/order?'), led.location ?? '')
    const page = await visitor.get(led.location!, headers)
    return { ...page, ...read(page.text) }
  }
  /** What a purchase keeps, as its buyer's copy has it. */
  const kept = async (email: string) => {
    const user = (await opened.m.users.findByEmail(email))!
    // biome-ignore lint/suspicious/noExplicitAny: tests read what was kept
    return (await opened.m.users.export(user)).checkouts[0] as any
  }
  const pay = async (email: string) => {
    const session = sessions().at(-1)!
    await opened.fake.pay(session.id, { email })
    await opened.fake.advance({ ms: 5000 })
    await visitor.get(new URL(String(session.success_url)).pathname)
    await opened.fake.deliver()
    await opened.m.runDueJobs()
  }
  return { ...opened, mailbox, visitor, german, sessions, order, pay, kept }
}

test('an EU shop’s order page has a button with the duty to pay, and price, renewal and notice beside it', async (t) => {
  const { visitor, german, sessions, order } = await ordering(t)
  const { facts, button, fields, text } = await order('/membership/subscribe/pro', { price: 'price_month' })
  // Article 8 (2) of directive 2011/83/EU; § 312j (3) BGB: nothing but these words.
  t.is(button, 'Order with obligation to pay')
  t.deepEqual(facts, [
    'You get: Pro, monthly',
    'Description: Every article.',
    'Renews: automatically, monthly, until you cancel',
    'Cancellation: You can cancel at any time without notice, in your account or at “Cancel contracts here”. The contract ends with the period you paid for.',
    'Withdrawal: You can withdraw within 14 days without giving a reason, at “Withdraw from contract here” or by any other clear statement.',
    'Due today: €9, incl. VAT',
    'Then: €9 per month, incl. VAT, from 15 February until you cancel',
  ])
  t.regex(text, /<input id="agree" type="checkbox" name="consent" value="[^"]+" required>/, 'never ticked')
  t.is(sessions().length, 0, 'nothing is opened by looking')
  const inGerman = await order('/membership/subscribe/pro', { price: 'price_month' }, german)
  t.is(inGerman.button, 'Zahlungspflichtig bestellen')
  t.true(
    inGerman.facts.includes('Verlängerung: automatisch monatlich, bis Sie kündigen'),
    inGerman.facts.join(),
  )
  const unticked = { ...fields }
  delete unticked.consent
  for (const wrong of ['', 'none', inGerman.fields.consent!]) {
    const back = await visitor.send('/membership/subscribe/pro', { ...unticked, consent: wrong }, html)
    t.true(back.location?.startsWith('/membership/order?'), wrong)
  }
  t.is(sessions().length, 0)
  const begun = await visitor.send('/membership/subscribe/pro', fields, html)
  t.is(begun.location, String(sessions()[0]?.url), begun.text)
})

test('the agreed text is stored with the purchase word for word, and confirmed by mail', async (t) => {
  const { visitor, order, pay, kept, mailbox, m } = await ordering(t)
  const { fields, facts } = await order('/membership/subscribe/pro', { price: 'price_month' })
  await visitor.send('/membership/subscribe/pro', fields, html)
  await pay('ann@example.com')
  const { consent } = await kept('ann@example.com')
  t.like(consent, {
    supply: 'service',
    version: fields.consent,
    language: 'en',
    at: '2026-01-15T12:00:00.000Z',
  })
  t.regex(consent.text, /^Start my membership now, during the 14 days/)
  t.is(consent.facts.length, facts.length)
  const [welcome] = mailbox.of('ann@example.com', 'welcome')
  const said = welcome!.text.replace(/\s+/g, ' ')
  t.regex(said, /Your order of .*15 January 2026.* You get: Pro, monthly\W/)
  t.true(said.includes(`You declared: ${consent.text}`), said)
  t.is(welcome!.headers['List-Unsubscribe'], undefined, 'what confirms an order is no courtesy')
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 1)
})

test('digital content asks to waive the right of withdrawal in its own words; other goods do not ask', async (t) => {
  const { visitor, order, pay, kept, mailbox } = await ordering(t)
  const book = await order('/membership/payment', { product: 'price_book' })
  t.regex(book.text, /I know that I lose my right to withdraw/)
  t.true(book.facts.includes('Renews: No, this is a one-time payment'), book.facts.join())
  await visitor.send('/membership/payment', book.fields, html)
  await pay('ben@example.com')
  t.like((await kept('ben@example.com')).consent, { supply: 'content' })
  t.regex(
    mailbox.of('ben@example.com', 'receipt')[0]!.text.replace(/\s+/g, ' '),
    /You declared: Deliver it now/,
  )
  const mug = await order('/membership/payment', { product: 'price_mug' })
  t.notRegex(mug.text, /type="checkbox"/)
  t.is(mug.button, 'Order with obligation to pay')
  t.is(mug.fields.consent, 'none')
})

test('a change to a dearer plan asks for the same consent, a cheaper one does not', async (t) => {
  const { visitor, order, pay, m } = await ordering(t)
  const { fields } = await order('/membership/subscribe/pro', { price: 'price_month' })
  await visitor.send('/membership/subscribe/pro', fields, html)
  await pay('ann@example.com')
  await prove(m, visitor)
  const { id } = (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
  const dearer = read((await visitor.get(`/membership/change/${id}?price=price_team`, html)).text)
  t.is(dearer.button, 'Order with obligation to pay')
  t.true(dearer.facts.includes('Renews: automatically, monthly, until you cancel'), dearer.facts.join())
  t.true(dearer.facts.includes('You get: Team, monthly: €25 per month, incl. VAT'), dearer.facts.join())
  await visitor.send(`/membership/change/${id}`, dearer.fields, html)
  const back = read((await visitor.get(`/membership/change/${id}?price=price_month`, html)).text)
  t.is(back.button, 'Change to Pro, monthly on 15 February')
})

test('programs begin as before, may send their own page’s consent, and learn what consent is needed', async (t) => {
  const { visitor, m, sessions, kept, pay } = await ordering(t, {
    'membership.shop.tax': 'none',
    'membership.url': 'http://127.0.0.1',
  })
  t.is((await visitor.send('/membership/subscribe/pro', { price: 'price_month' })).status, 201)
  const asked = await visitor.get('/membership/order?plan=pro&price=price_month', {
    accept: 'application/json',
  })
  t.like(asked.json.consent, { supply: 'service' })
  const { shown, consent } = asked.json
  const agreed = { price: 'price_month', shown, consent: consent.version }
  t.is((await visitor.send('/membership/subscribe/pro', agreed)).status, 201)
  t.is(sessions().length, 2, 'what nobody had agreed to makes way')
  await pay('ann@example.com')
  t.like((await kept('ann@example.com')).consent, { supply: 'service', text: consent.text })
  const user = (await m.users.create({ email: 'own@example.com', name: null, verified: true }))!
  await m.checkout.start({ user, price: 'price_book' as never, consent: 'I agree to begin.' })
  t.like((await kept('own@example.com')).consent, { supply: 'own', text: 'I agree to begin.' })
})

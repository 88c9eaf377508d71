import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { until } from '../../support/browser.ts'
import { openHost } from '../../support/host.ts'
import { createMailbox, logIn, type Visitor } from '../../support/visitor.ts'

const html = { accept: 'text/html' }
const ann = 'ann@example.com'

/** The offer on a cancellation page: its text and its address; null without one. */
const offerIn = (page: string): { text: string; url: string } | null => {
  const [, text = '', url = ''] = /<p class="order-alternative">([^<]*)<a href="([^"]*)">/.exec(page) ?? []
  return url === '' ? null : { text: text.trim(), url }
}
const factsIn = (page: string): string[] =>
  [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, text]) => `${name}: ${text}`)
/** The form of a page that confirms an action. */
const formIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [
      ...(/<form class="confirm"[\s\S]*?<\/form>/.exec(page)?.[0] ?? '').matchAll(
        /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
      ),
    ]
      .map(([, name, value]) => [name!, value!] as const)
      .filter(([name]) => name !== 'token'),
  )

/** A site that sells through the sandbox, and a member who bought there. */
const openSandboxSite = async (t: ExecutionContext, options: MembershipOptions = {}) => {
  const clock = createClock('2026-01-15T12:00:00Z')
  const mailbox = createMailbox()
  const opened = await openHost(t, {
    ...mailbox.options,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_month', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
    'membership.providers.sandbox.discount': { percent: 50 },
    'membership.account.offer': 'discount',
    'membership.ratelimit.limit': 10_000,
    now: clock.now,
    ...options,
  })
  const { m, site } = opened
  const own = async (email = ann) => (await m.users.findByEmail(email))!
  const subscribe = async (visitor: Visitor, email = ann): Promise<string> => {
    const begun = await visitor.send('/membership/subscribe/pro', { price: 'pro_month' })
    const path = new URL(begun.json.url, site).pathname
    const paid = await visitor.send(path, { email, name: 'Ann', card: '4242 4242 4242 4242' })
    await visitor.get(paid.location!)
    await m.runDueJobs()
    clock.advance({ minutes: 1 })
    const held = await until(
      async () => (await own(email)).subscriptions().find((s) => !s.ended),
      (s) => s !== undefined,
    )
    return held!.id
  }
  await m.users.create({ email: ann, verified: true })
  const enter = (email = ann) => logIn(opened, mailbox, email)
  const visitor = await enter()
  const id = await subscribe(visitor)
  const amounts = async (email = ann) =>
    (await own(email))
      .payments()
      .map(({ amount }) => amount)
      .reverse()
  const renew = async (count: number) => {
    clock.advance({ days: 31 })
    await m.runDueJobs()
    return until(amounts, (list) => list.length === count)
  }
  return { ...opened, clock, mailbox, visitor, enter, subscribe, id, own, amounts, renew }
}

test('the cancel page offers the discount once: the next payment is reduced, the one after is not', async (t) => {
  const { visitor, enter, id, amounts, renew, m, own, clock } = await openSandboxSite(t)
  const cancel = () => visitor.get(`/membership/cancel/${id}`, html)
  const page = await cancel()
  const offer = offerIn(page.text)
  t.is(offer?.text, 'Would you rather stay for less? You get 50 % off your next payment, once.')
  t.is(offer?.url, `/membership/discount/${id}`)
  t.true(page.text.indexOf('Cancel on 15 February') < page.text.indexOf('order-alternative'))

  const looked = await visitor.get(offer!.url, html)
  t.is(looked.status, 200, looked.text)
  t.deepEqual(factsIn(looked.text), [
    'You have: Pro, monthly: €9 per month',
    'Discount: 50 % off the next payment. After that the usual price applies again.',
    'Due today: €0',
    'Next payment: €4.50 on 15 February',
  ])
  const form = formIn(looked.text)
  t.deepEqual(Object.keys(form).sort(), ['redirect', 'shown'], 'the form chooses nothing')
  const taken = await visitor.send(offer!.url, { ...form, percent: '100', coupon: 'free' }, html)
  t.is(taken.status, 303, taken.text)
  t.is(taken.location, '/membership/account')
  await m.runDueJobs()
  const account = await visitor.get('/membership/account', html)
  t.regex(account.text, /Done\. Your next payment for Pro, monthly on 15 February is reduced\./)
  t.regex(account.text, /50 % off your next payment on 15 February\./)
  t.regex(account.text, /€4\.50/)

  t.is(offerIn((await cancel()).text), null, 'not a second time')
  t.is((await visitor.send(`/membership/discount/${id}`)).status, 200, 'a second click finds it in place')
  t.deepEqual(await amounts(), [900])
  t.deepEqual(await renew(2), [900, 450])
  const back = await enter()
  t.notRegex((await back.get('/membership/account', html)).text, /off your next payment/)
  const again = await back.send(`/membership/discount/${id}`)
  t.is(again.status, 409, again.text)
  t.is(again.json.reason, 'repeated')
  t.deepEqual(await renew(3), [900, 450, 900])
  t.is(offerIn((await (await enter()).get(`/membership/cancel/${id}`, html)).text), null)
  t.false((await own()).subscriptions()[0]!.cancel_at_period_end)
  t.true(clock.now() > new Date('2026-03-15'))
})

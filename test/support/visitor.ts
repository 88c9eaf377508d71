import { step } from '../../src/core/storage/index.ts'
import type { Mail } from '../../src/memberships/mails/index.ts'
import type { User } from '../../src/memberships/members/index.ts'
import { createBrowser, tokenOf } from './browser.ts'
import { stripeEvent } from './stripe-events.ts'
import type { StripeSite } from './stripe-site.ts'

export interface Answered {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what routes answer
  readonly json: any
  /** Of an error, as a problem document and as a page have it. */
  readonly code: string | null
}

/** A browser that has the site's form token, and sends forms as a page (default) or as a program would. */
export function createVisitor(site: string) {
  const browser = createBrowser(site)
  // A form is made for a browser and its session.
  let made: { readonly for: string; readonly token: string } | null = null
  const owner = () =>
    `${browser.cookies.get('membership_browser')} ${browser.cookies.get('membership_session')}`
  const formToken = async (): Promise<string> => {
    if (made?.for !== owner()) {
      const token = tokenOf(await (await browser.request('/membership/login')).text())
      made = { for: owner(), token }
    }
    return made.token
  }
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Answered> =>
    toAnswered(await browser.request(path, { headers }))
  const send = async (
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = { accept: 'application/json' },
  ): Promise<Answered> => {
    const body = new URLSearchParams({ token: await formToken(), ...fields })
    return toAnswered(await browser.request(path, { method: 'POST', body, headers }))
  }
  return { site, cookies: browser.cookies, request: browser.request, formToken, get, send }
}
export type Visitor = ReturnType<typeof createVisitor>

async function toAnswered(response: Response): Promise<Answered> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const { status, headers } = response
  const json = isJson ? JSON.parse(text) : null
  const code = json?.code ?? /<code>(ERR_[A-Z_]+)<\/code>/.exec(text)?.[1] ?? null
  return { status, headers, location: headers.get('location'), text, json, code }
}

/** Buys on the site and on the fake's page, comes back, and lets the messages arrive. */
export async function buy(
  { fake, m, site }: Pick<StripeSite, 'fake' | 'm' | 'site'>,
  email: string,
  {
    path = '/membership/subscribe/pro',
    visitor = createVisitor(site),
    card = '',
    proved = true,
    ...fields
  }: Bought = {},
) {
  const what = path.endsWith('/pro') ? { price: 'price_month' } : {}
  const begun = await visitor.send(path, { ...what, ...fields })
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
  await fake.pay(session.id, { email, ...(card === '' ? {} : { card }) })
  // Paying takes its time; what the site asks Stripe for is then newer than what Stripe sends.
  await fake.advance({ ms: 5000 })
  const back = await visitor.get(new URL(String(session.success_url)).pathname)
  await fake.deliver()
  if (proved) await prove(m, visitor)
  const user = (await m.users.findByEmail(email)) as User
  const subscription = user?.subscriptions()[0]
  return {
    visitor,
    user,
    session,
    back,
    intentId: begun.json.intent_id as string,
    id: subscription?.id ?? '',
  }
}
/** `proved`: as if the buyer had opened a login link in this browser; false leaves the session that a purchase opens. */
type Bought = { path?: string; visitor?: Visitor; card?: string; proved?: boolean } & {
  price?: string
  product?: string
  quantity?: string
  code?: string
  currency?: string
}

/** Buys by a payment link of Stripe's, which the site knows nothing of: each time a customer of its own, unless one is given. */
export async function buyByLink(
  { fake }: Pick<StripeSite, 'fake'>,
  { email, price, customer }: { email: string; price: string; customer?: string },
): Promise<{ customer: string; subscription: string }> {
  const session = await askFake(fake, 'POST', '/v1/checkout/sessions', {
    mode: 'subscription',
    success_url: 'https://example.com/thanks',
    'line_items[0][price]': price,
    'line_items[0][quantity]': '1',
    ...(customer === undefined ? {} : { customer }),
  })
  await fake.pay(session.id, { email })
  const paid = fake.objects.get(session.id) as { customer: unknown; subscription: unknown }
  return { customer: String(paid.customer), subscription: String(paid.subscription) }
}

/** Does something at Stripe as in its dashboard. */
export async function askFake(
  fake: StripeSite['fake'],
  method: 'POST' | 'DELETE',
  path: string,
  fields: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read what Stripe answers
): Promise<any> {
  const headers = { authorization: `Bearer ${fake.secret}` }
  const body = method === 'POST' ? new URLSearchParams(fields) : null
  const answer = await fetch(`${fake.url}${path}`, { method, headers, body })
  const json = await answer.json()
  if (!answer.ok) throw new Error(JSON.stringify(json))
  return json
}

/** Makes the session of a browser, if it has one, and its member verified, without a mail. */
export async function prove(
  { storage }: Pick<StripeSite['m'], 'storage'>,
  { cookies }: Pick<Visitor, 'cookies'>,
): Promise<void> {
  const cookie = decodeURIComponent(cookies.get('membership_session') ?? '')
  if (cookie === '') return
  const { sid } = JSON.parse(Buffer.from(cookie.split('.')[1]!, 'base64url').toString()) as { sid: string }
  const session = storage.prepare<{ sid: string }>('test-prove', (db, p) =>
    db.updateTable('sessions').set({ verified: 1 }).where('id', '=', p.sid),
  )
  const member = storage.prepare<{ sid: string }>('test-prove-member', (db, p) =>
    db
      .updateTable('members')
      .set({ email_verified: 1 })
      .where('id', '=', (eb) => eb.selectFrom('sessions').select('member_id').where('id', '=', p.sid)),
  )
  await storage.commit([step(member, { sid }), step(session, { sid })])
}

/** What a site's mails were, in the order in which they left. */
export function createMailbox() {
  const sent: (Mail & { readonly id: string })[] = []
  return {
    sent,
    of: (email: string, kind?: Mail['kind']) =>
      sent.filter((mail) => mail.to === email && (kind === undefined || mail.kind === kind)),
    options: { mails: { transport: async (mail: Mail & { readonly id: string }) => void sent.push(mail) } },
    /** The path of the newest link in a mail to that address. */
    link: (email: string): string => {
      const pattern =
        /https?:\/\/[^\s]+\/membership\/(?:login|account\/(?:email(?:-undo)?|merge(?:-back)?))\/[^\s]+/
      const mail = sent.findLast(({ to, text }) => to === email && pattern.test(text))
      const found = pattern.exec(mail?.text ?? '')?.[0] ?? ''
      return found === '' ? '' : new URL(found).pathname
    },
  }
}

/** Logs in by a link in a mail. */
export async function logIn(
  { m, site }: Pick<StripeSite, 'm' | 'site'>,
  mailbox: ReturnType<typeof createMailbox>,
  email: string,
  visitor = createVisitor(site),
): Promise<Visitor> {
  await visitor.send('/membership/login', { email })
  await m.runDueJobs()
  const answer = await visitor.send(mailbox.link(email))
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return visitor
}

/** The bank sends the newest refund back: https://docs.stripe.com/refunds#failed-refunds */
export async function rejectRefund({ m, fake }: Pick<StripeSite, 'fake' | 'm'>): Promise<void> {
  await fake.advance({ ms: 10_000 })
  const made = fake.objects.list('refund').at(-1)!
  const charge = fake.objects.get(String(made.charge)) as { amount_refunded: number }
  const created = Math.floor(fake.now().getTime() / 1000)
  const receive = async (event: object) => {
    const body = Buffer.from(JSON.stringify({ ...event, livemode: false }))
    await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) as never })
  }
  const amount_refunded = charge.amount_refunded - Number(made.amount)
  await receive(stripeEvent('charge.updated', { ...charge, amount_refunded, refunded: false }, { created }))
  await receive(stripeEvent('refund.failed', { ...made, status: 'failed' }, { created }))
  await m.runDueJobs()
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { step } from '../../src/core/storage/index.ts'
import type { View } from '../../src/memberships/members/index.ts'
import { loadMagazine } from '../../src/site/runtime/magazine.ts'
import { createSite } from '../../src/site/runtime/magazine-site.ts'
import { openStripeSite, type StripeSite } from '../support/stripe-site.ts'
import { askFake, createMailbox, createVisitor } from '../support/visitor.ts'

/** The longest surname that was ever on a passport's line, and the longest word of a German statute. */
export const longest = 'Wolfeschlegelsteinhausenbergerdorffen'
const longWord = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'

// A language that is written from right to left, made for these tests; what it lacks is said in English.
const hebrew = `direction: rtl
magazine: { articles: מאמרים }
page: { prices: מחירים, account: "החשבון שלי", skip: "דילוג לתוכן" }
account: { title: חשבון, have: "מה יש לך", open: פתיחה, history: "מה קרה", invoice: חשבונית, cancel: ביטול }
status: { renews: "מתחדש ב־{date}." }
declare: { cancel: { title: "ביטול חוזה", confirm: "לבטל עכשיו" } }
`

const months = 5
const memberships = [
  'Leserunde',
  'Werkstatt',
  'Abendausgabe',
  longWord,
  'Chor',
  'Gartenbuch',
  'Seekarten',
  'Rätsel',
  'Nachtzug',
  'Bibliothek',
  'Werkzeugverleih',
  'Förderkreis',
]

/**
 * A shop in Germany on the pages of the demo, Stripe's double behind it, and a member of many years: twelve memberships and
 * sixty payments, one of which failed.
 */
export async function openShop(t: Pick<ExecutionContext, 'teardown'>) {
  const root = await mkdtemp(join(tmpdir(), 'membership-shop-'))
  await mkdir(join(root, 'templates', 'words'), { recursive: true })
  await writeFile(join(root, 'templates', 'words', 'he.yml'), hebrew)
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    root,
    'membership.shop.country': 'DE',
    'membership.shop.name': 'Neap Verlag GmbH',
    'membership.shop.address': ['Deichstraße 7', '20459 Hamburg'],
    'membership.providers.stripe.plans': plans(),
  })
  const { fake } = opened
  for (const [n] of memberships.entries())
    fake.addPrice({ id: `price_${n}`, unit_amount: 500, currency: 'eur', recurring: { interval: 'month' } })
  const magazine = loadMagazine()
  const site = await listenTo(t, opened, magazine)
  const { ann, pay } = await fill(opened, mailbox, site)
  const settle = () => arrive(opened)
  return { ...opened, site, mailbox, ann, pay, settle, magazine }
}
export type Shop = Awaited<ReturnType<typeof openShop>>

function plans() {
  return {
    ...Object.fromEntries(
      memberships.map((name, n) => [
        `plan${n}`,
        {
          name,
          url: n % 2 === 0 ? '/' : undefined,
          description: 'Jede Woche ein langer Text.',
          words: { en: { description: 'A long read every week.' } },
          prices: [{ id: `price_${n}`, amount: 500, currency: 'EUR', interval: 'month' as const }],
        },
      ]),
    ),
    atlas: { name: 'Atlas', url: '/archive', prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
  }
}

/** The demo's pages around the shop, at an address of their own. */
async function listenTo(
  t: Pick<ExecutionContext, 'teardown'>,
  { m, fake, log }: StripeSite,
  magazine: ReturnType<typeof loadMagazine>,
): Promise<string> {
  const app = createSite({
    membership: m,
    magazine,
    demo: { bar: async () => null, press: async () => false },
    mailbox: null,
    pageData: async (_ctx, _view: View) => ({ magazine: magazine.magazine, demo: null }),
    now: () => fake.now(),
    log: (message) => log.push(message),
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function arrive({ fake, m }: Pick<StripeSite, 'fake' | 'm'>): Promise<void> {
  for (let n = 0; n < 20; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}

const email = 'ann@example.com'

/** Twelve memberships by payment links, paid for five months; then the card of one of them fails. */
async function fill(
  opened: Pick<StripeSite, 'fake' | 'm'>,
  mailbox: ReturnType<typeof createMailbox>,
  site: string,
) {
  const { fake, m } = opened
  await createVisitor(site).get('/membership/login')
  const ann = await m.users.create({ email, name: `Ann ${longest}`, verified: true })
  const sell = async (mode: string, price: string, customer?: string): Promise<string> => {
    const session = await askFake(fake, 'POST', '/v1/checkout/sessions', {
      mode,
      success_url: 'https://example.com/thanks',
      'line_items[0][price]': price,
      'line_items[0][quantity]': '1',
      ...(mode === 'payment' ? { 'invoice_creation[enabled]': 'true' } : {}),
      ...(customer === undefined ? {} : { customer }),
    })
    await fake.pay(session.id, { email })
    return String((fake.objects.get(session.id) as { customer: unknown }).customer)
  }
  const customer = await sell('subscription', 'price_0')
  for (let n = 1; n < memberships.length - 1; n++) await sell('subscription', `price_${n}`, customer)
  await sell('payment', 'price_book', customer)
  const other = await sell('subscription', `price_${memberships.length - 1}`)
  for (let month = 1; month < months; month++) await fake.advance({ months: 1 })
  await fake.advance({ ms: 7_200_000 })
  await arrive(opened)
  fake.useCard(other, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await arrive(opened)
  await overHttps(m)
  const pay = /\/membership\/pay\/\S+/.exec(mailbox.of(email, 'payment-failed')[0]?.text ?? '')?.[0] ?? ''
  return { ann: (await m.users.findById(ann.id))!, pay }
}

/** Stripe's invoices lie behind https, those of its double do not, and are no links then. */
async function overHttps({ storage }: Pick<StripeSite['m'], 'storage'>): Promise<void> {
  const secure = storage.prepare<Record<never, never>>('test-https', (db) =>
    db.updateTable('payments').set({ data: sql<string>`replace(data, 'http://', 'https://')` }),
  )
  await storage.commit([step(secure, {})])
}

import {
  addCustomer,
  attachMethod,
  charge,
  type FakeServer,
  type Invoice,
  openCheckout,
  openPayment,
  payCheckout,
  saleOf,
  startSubscription,
  useCard,
  type World,
} from '../../../src/fakes/engine/index.ts'
import { createVisitor, logIn } from '../../support/visitor.ts'
import type { Seller } from '../sellers.ts'
import { foreignWords, priceOf, type Word } from './account.ts'
import { openSite, type shopLaws } from './year.ts'

/** At which provider, with an empty database. */
export interface CasesOptions {
  readonly seller: Seller
  readonly database: string
}

type Law = keyof typeof shopLaws

interface Buyer {
  readonly email: string
  readonly isOwn: boolean
  readonly customer: string
}

interface Cases {
  readonly seller: Seller
  readonly opened: Awaited<ReturnType<typeof openSite>>
  readonly buyers: Buyer[]
  readonly broke: (law: Law, what: string) => void
}

/**
 * One buyer for each reason why a purchase is this site's or another shop's, whatever the dice say. Every message
 * arrives once and in order, and nothing is compared, so that the messages alone decide.
 */
export async function playShopCases({ seller, database }: CasesOptions): Promise<readonly string[]> {
  const opened = await openSite({ seller, database, seed: 'cases', chaos: {} })
  const broken: string[] = []
  const cases: Cases = {
    seller,
    opened,
    buyers: [],
    broke: (law, what) => void broken.push(`${seller.key}: ${law}: ${what}`),
  }
  try {
    await opened.begin({
      plans: { gone: { prices: [soldAt(seller, 'gone')] } },
      names: ['site_by_later_key'],
    })
    await buyAll(cases)
    await settle(cases)
    const stored = await storedOf(cases)
    await assign(cases)
    await dropPlan(cases)
    await readLater(cases)
    await opened.fake.advance({ months: 1 })
    await settle(cases)
    const left = [...(await peopleOf(cases)), ...(await renewedOf(cases))]
    // An invoice of Stripe is a draft for an hour.
    await opened.fake.advance({ ms: 7_200_000 })
    await settle(cases)
    for (const buyer of cases.buyers) await checkBuyer(cases, buyer)
    checkNews(cases)
    await actHere(cases)
    return [...broken, ...stored, ...left]
  } finally {
    await opened.close()
  }
}

function soldAt(seller: Seller, word: Word) {
  const id = priceOf(seller, word)
  return { id, amount: 1100, currency: 'USD', interval: 'month' as const }
}

function isOneOf(keys: readonly string[], { key }: Seller): boolean {
  return keys.includes(key)
}

function hasProducts(seller: Seller) {
  return isOneOf(['stripe', 'paddle'], seller)
}
/** True where a subscription may have several prices. */
export function hasItems(seller: Seller): boolean {
  return isOneOf(['stripe', 'paddle', 'chargebee'], seller)
}
// PayPal and Chargebee have room for the id of a site in an order's id alone, which payment links have not.
function notesSites(seller: Seller) {
  return !isOneOf(['paypal', 'chargebee'], seller)
}

async function buyAll(cases: Cases): Promise<void> {
  const { seller } = cases
  await buy(cases, 'plain', ['month'])
  await buy(cases, 'gone', ['gone'])
  await buy(cases, 'shirt', ['shirt'])
  await buy(cases, 'club', ['club'])
  if (hasProducts(seller)) await buy(cases, 'unnamed', ['unnamed'])
  if (hasItems(seller)) await buy(cases, 'mixed', ['month', 'club'])
  if (hasItems(seller)) await buy(cases, 'add-on', ['month', 'team'])
  if (notesSites(seller)) await buy(cases, 'elsewhere', ['month'], ofOther)
  if (notesSites(seller)) await buy(cases, 'book elsewhere', ['book'], ofOther)
  if (seller.key === 'stripe') await buy(cases, 'cut', [...parts, 'month'])
  // Only Stripe documents items of different intervals in one subscription.
  if (seller.key === 'stripe') {
    await buyByHand(cases, 'month-with-their-year', ['month', 'clubYear'])
    await buyByHand(cases, 'year-with-their-month', ['year', 'club'])
  }
}

/** The notes that another site of this package leaves with what it sells. */
const ofOther = { membership_site: 'other1', membership_intent: 'other1AAAAAAAAAAAAAAAAAAA' }

/** Ten prices of another shop: Stripe shows the first ten items of a subscription with it. */
const parts = [
  'club',
  'part1',
  'part2',
  'part3',
  'part4',
  'part5',
  'part6',
  'part7',
  'part8',
  'part9',
] as const

function isForeign(words: readonly Word[]): boolean {
  return words.every((word) => foreignWords.some((other) => other === word))
}

/** Somebody buys by a payment link. */
async function buy(
  { seller, opened: { fake }, buyers }: Cases,
  name: string,
  words: readonly Word[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  const email = `${name.replace(' ', '-')}@example.com`
  await fake.act((world) => {
    const { id: customer } = addCustomer(world, { email })
    buyByLink(world, { seller, customer, words, metadata })
    buyers.push({ email, customer, isOwn: !isForeign(words) && metadata.membership_site === undefined })
  })
}

/** Somebody sells these prices in the dashboard, as one subscription. */
async function buyByHand(
  { seller, opened: { fake }, buyers }: Cases,
  name: string,
  words: readonly Word[],
): Promise<string> {
  const email = `${name}@example.com`
  return fake.act((world) => {
    const { id: customer } = addCustomer(world, { email })
    buyers.push({ email, customer, isOwn: !isForeign(words) })
    return startByHand(world, { seller, customer, words })
  })
}

/** Starts one subscription of these prices in the dashboard. */
export function startByHand(world: World, { seller, customer, words }: LinkSale): string {
  return startSubscription(world, {
    customer,
    currency: 'usd',
    metadata: {},
    coupon: null,
    code: null,
    method: attachMethod(world, customer, '4242424242424242').id,
    items: words.map((word) => ({ price: world.store.get('price', priceOf(seller, word)), quantity: 1 })),
    trialEnd: null,
    withoutMethod: 'cancel' as const,
  }).id
}

/**
 * Two subscriptions hold a price of this site and one of another shop, with different intervals. What this site sold is
 * open while its own time is paid, whatever becomes of the other shop's invoices.
 */
export async function playMixedIntervals({ seller, database }: CasesOptions): Promise<readonly string[]> {
  const opened = await openSite({ seller, database, seed: 'intervals', chaos: {} })
  const { fake } = opened
  const broken: string[] = []
  const cases: Cases = {
    seller,
    opened,
    buyers: [],
    broke: (law, what) => void broken.push(`${seller.key}: ${law}: ${what}`),
  }
  const pass = async (months: number, days = 0): Promise<void> => {
    for (let n = 0; n < months; n++) {
      await fake.advance({ months: 1 })
      await settle(cases)
    }
    await fake.advance({ days })
    await settle(cases)
  }
  const expect = async (email: string, isOpen: boolean, when: string): Promise<void> => {
    const user = await opened.m.users.findByEmail(email)
    if ((user?.hasGate('pro' as never) === true) !== isOpen)
      broken.push(`${email} ${isOpen ? 'closed' : 'open'} ${when}`)
  }
  const declines = (customer: string) => fake.act((world) => useCard(world, customer, '4000000000000341'))
  try {
    await opened.begin()
    await buyByHand(cases, 'month', ['month', 'clubYear'])
    await buyByHand(cases, 'unpaid-month', ['month', 'clubYear'])
    await buyByHand(cases, 'year', ['club', 'year'])
    await buyByHand(cases, 'unpaid-club', ['year', 'club'])
    const [month, unpaidMonth, year, unpaidClub] = cases.buyers
    await settle(cases)
    for (const { email } of cases.buyers) await expect(email, true, 'at first')
    await declines(unpaidMonth!.customer)
    await declines(unpaidClub!.customer)
    await pass(1, 1)
    await expect(month!.email, true, 'in the second month, which is paid')
    await expect(year!.email, true, 'in the second month of a paid year')
    await expect(unpaidClub!.email, true, 'in a paid year, while the other shop’s month is not paid')
    const held = fake.books.list('subscription').find(({ customer }) => customer === unpaidClub!.customer)!
    if (held.status !== 'past_due') broken.push(`a declined month leaves ${held.status}`)
    await pass(1, 1)
    await expect(unpaidMonth!.email, false, 'a month after its own month was not paid')
    await expect(month!.email, true, 'in the third month')
    await pass(10)
    await expect(month!.email, true, 'after a year')
    await expect(year!.email, true, 'in the second year, which is paid')
    for (const buyer of cases.buyers) await countOwn(cases, buyer)
    return broken
  } finally {
    await opened.close()
  }
}

/** Only the invoices with an item of this site are payments here, and only they are mailed. */
async function countOwn({ seller, opened, broke }: Cases, { email, customer }: Buyer): Promise<void> {
  const { m, fake, mailbox } = opened
  const paid = fake.books
    .list('invoice')
    .filter((each) => each.customer === customer && each.status === 'paid' && isOwnBill(seller, each))
  const user = await m.users.findByEmail(email)
  const known = (user?.payments() ?? []).filter(({ status }) => status === 'paid')
  if (known.length !== paid.length) broke('no figure', `${email}: ${known.length} of ${paid.length} payments`)
  const sent = mailbox.sent.filter(({ to, subject }) => to === email && subject.startsWith('Receipt'))
  if (sent.length > paid.length) broke('no mail', `${email}: ${sent.length} receipts of ${paid.length}`)
  const others = mailbox.sent.filter(({ to, text }) => to === email && /\b(?:7\.77|66\.60)\b/.test(text))
  for (const { subject } of others) broke('no mail', `${email}: ${subject}`)
}

/** True if an invoice names a price that no other shop sells. */
function isOwnBill(seller: Seller, { lines }: Pick<Invoice, 'lines'>): boolean {
  const others = new Set(
    [...foreignWords, ...parts, 'clubYear' as const].map((word) => priceOf(seller, word)),
  )
  return lines.some(({ price }) => !others.has(price.id))
}

/** An import alone counts each payment for what this site sold, and nothing that another shop sold. */
export async function playShopImport({ seller, database }: CasesOptions): Promise<readonly string[]> {
  const opened = await openSite({ seller, database, seed: 'import', chaos: {} })
  const broken: string[] = []
  const cases: Cases = {
    seller,
    opened,
    buyers: [],
    broke: (law, what) => void broken.push(`${seller.key}: ${law}: ${what}`),
  }
  try {
    for (const word of ['month', 'book', 'club', 'shirt'] as const) await buy(cases, word, [word])
    await opened.fake.advance({ days: 40 })
    // Elsewhere a purchase of this minute is still asked for after the import, and may be mailed.
    if (seller.key === 'stripe') await buy(cases, 'just now', ['month'])
    // No message reaches the site, because it is not there yet.
    await opened.fake.deliver()
    await opened.begin()
    await opened.m.operator.import({ provider: seller.key, write: true })
    await opened.m.runDueJobs()
    for (const { to, subject } of opened.mailbox.sent) cases.broke('quiet import', `${to}: ${subject}`)
    for (const buyer of cases.buyers) await checkBuyer(cases, buyer)
    return broken
  } finally {
    await opened.close()
  }
}

interface LinkSale {
  readonly seller: Seller
  readonly customer: string
  readonly words: readonly Word[]
  readonly metadata?: Readonly<Record<string, string>>
}

/** Sells these prices to the customer by a payment link, and returns the id of what was bought. */
export function buyByLink(world: World, { seller, customer, words, metadata = {} }: LinkSale): string {
  const prices = words.map((word) => world.store.get('price', priceOf(seller, word)))
  // Mollie knows no prices: whoever sells notes the price with each purchase.
  const notes = { ...metadata, ...(seller.key === 'mollie' ? { price_id: prices[0]!.id } : {}) }
  const page = openCheckout(
    world,
    saleOf(prices[0]!, {
      customer,
      metadata: { ...metadata },
      payment_metadata: { ...metadata },
      ...(seller.key === 'mollie' ? { own: { metadata: notes } } : {}),
      ...(seller.key === 'paddle' ? { own: { custom_data: notes, url: null } } : {}),
      ...(seller.key === 'lemonsqueezy' ? { own: { checkout_data: { custom: notes } } } : {}),
      lines: prices.map((price) => ({ price: price.id, quantity: 1 })),
    }),
  )
  const { checkout } = payCheckout(world, page.id, {})
  if (seller.key === 'mollie' && checkout.subscription)
    world.change('subscription', checkout.subscription, { own: { metadata: notes } }, 'subscription changed')
  return checkout.subscription ?? checkout.payment ?? checkout.id
}

async function settle({ opened }: Cases): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await opened.fake.deliver({ settle: true })
    await opened.m.runDueJobs()
    await opened.fake.advance({ ms: 5000 })
  }
}

/** An operator says what a bill by hand is for: something that no plan names. */
async function assign(cases: Cases): Promise<void> {
  const { seller, opened, buyers } = cases
  if (seller.key !== 'stripe') return
  const { fake, m } = opened
  const email = 'assigned@example.com'
  let id = ''
  await fake.act((world) => {
    const { id: customer } = addCustomer(world, { email })
    id = payByHand(world, customer, email)
    buyers.push({ email, customer, isOwn: true })
  })
  await settle(cases)
  const member = await m.users.create({ email, verified: true })
  await m.payments.assign({
    id,
    one_time: priceOf(seller, 'shirt') as never,
    member: member.id,
    by: 'the operator',
  })
}

/** Charges the customer’s card for something that names no price. */
export function payByHand(world: World, customer: string, email: string): string {
  const { id } = openPayment(world, { amount: 5100, currency: 'usd', customer, description: 'By hand' })
  charge(world, id, { number: '4242424242424242', method: null, email, name: null }, null)
  return id
}

/** A plan is taken out of the configuration, after one page of it was opened here and before it is paid. */
async function dropPlan(cases: Cases): Promise<void> {
  const { seller, opened, buyers } = cases
  const { fake, m, site, mailbox } = opened
  const visitor = createVisitor(site)
  const email = 'begun@example.com'
  if (seller.asksNoAddress) {
    await m.users.create({ email, verified: true })
    await logIn({ m, site }, mailbox, email, visitor)
  }
  const begun = await visitor.send('/membership/subscribe/gone', {})
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
  await opened.end()
  await opened.begin({ plans: {}, names: ['site_by_later_key'] })
  await fake.pay(seller.checkoutIn(begun.json.url) ?? '', { email, name: 'Ann Example' })
  await settle(cases)
  const page = fake.books.list('subscription').at(-1)!
  buyers.push({ email, customer: page.customer, isOwn: true })
}

/** A price is made and sold under a name of a plan, before the site read it. The buyer's address is on the page alone. */
async function readLater(cases: Cases): Promise<void> {
  const { seller, opened, broke } = cases
  if (seller.key !== 'stripe') return
  const { fake, m } = opened
  const email = 'later@example.com'
  fake.addPrice({ id: 'price_later', product: 'prod_later', unit_amount: 1200, currency: 'usd' })
  await fake.act((world) => {
    world.change('price', 'price_later', { lookup_key: 'site_by_later_key' })
    const price = world.store.get('price', 'price_later')
    const page = openCheckout(world, saleOf(price, { allows_guests: true }))
    payCheckout(world, page.id, { email })
  })
  await settle(cases)
  if ((await m.users.findByEmail(email)) !== null) broke('no account', `${email} before the price is known`)
  await m.operator.catalogue.refresh('stripe')
  const end = fake.outage({ kind: '503' })
  await m.runDueJobs()
  end()
  if ((await m.users.findByEmail(email)) === null)
    broke('counted', `${email} has no account once the price is known`)
}

async function checkBuyer({ seller, opened, broke }: Cases, buyer: Buyer): Promise<void> {
  const { m, fake, mailbox } = opened
  const { email, customer, isOwn } = buyer
  const user = await m.users.findByEmail(email)
  if (!isOwn) {
    if (user !== null) broke('no account', email)
    for (const { to, subject } of mailbox.sent) if (to === email) broke('no mail', `${to}: ${subject}`)
    return
  }
  const others = othersBillsOf(seller, fake)
  const paid = fake.books
    .list('charge')
    .filter((each) => each.customer === customer && each.status === 'paid' && !others.has(each.id))
  const known = (user?.payments() ?? []).filter(({ status }) => status === 'paid')
  if (user === null || known.length < paid.length)
    broke('counted', `${email}: ${known.length} of ${paid.length} payments`)
  // Mollie's mandate begins with a payment of its own, which the books have as the subscription's first charge.
  const mandates = seller.key === 'mollie' ? (user?.subscriptions().length ?? 0) : 0
  if (known.length > paid.length + mandates)
    broke('no figure', `${email}: ${known.length} of ${paid.length} payments`)
  if (email === 'plain@example.com' && user?.hasGate('team' as never)) broke('nothing for nothing', email)
  const living = fake.books
    .list('subscription')
    .filter((each) => each.customer === customer && each.status === 'active')
  const active = (user?.subscriptions() ?? []).filter((held) => held.active)
  if (active.length < living.length)
    broke('counted', `${email}: ${active.length} of ${living.length} subscriptions`)
}

/** Mails and hooks name no price and no amount of another shop. */
function checkNews({ seller, opened: { mailbox, heard }, broke }: Cases): void {
  for (const { to, subject, text } of mailbox.sent)
    if (/\b(?:7\.77|66\.60|13\.13)\b/.test(`${subject} ${text}`)) broke('no mail', `${to}: ${subject}`)
  // An operator assigned a shirt.
  const others = (['tool', 'club', 'clubYear', ...parts] as const).map((word) => priceOf(seller, word))
  for (const { name, text } of heard)
    if (others.some((price) => text.includes(JSON.stringify(price)))) broke('no hook', `${name}: ${text}`)
}

/** A member cancels what both shops sold in one, and a customer of both shops deletes the account here. */
async function actHere({ seller, opened, buyers, broke }: Cases): Promise<void> {
  const { m, fake } = opened
  const of = (name: string) => buyers.find(({ email }) => email === `${name}@example.com`)
  const livingOf = (customer: string) =>
    fake.books.list('subscription').filter((each) => each.customer === customer && each.status === 'active')
  const plain = of('plain')!
  const [own] = livingOf(plain.customer)
  const club = await fake.act((world) =>
    buyByLink(world, { seller, customer: plain.customer, words: ['club'] }),
  )
  const mixed = of('mixed')
  const shared = mixed === undefined ? [] : livingOf(mixed.customer).map(({ id }) => id)
  await fake.deliver({ settle: true })
  const known = fake.requests().length
  for (const subscriptionId of shared) {
    const user = await m.users.findByEmail(mixed!.email)
    if (user !== null)
      await m.subscriptions.cancel({ user, subscriptionId, when: 'period_end' }).catch(() => {})
  }
  const user = await m.users.findByEmail(plain.email)
  // Who has no account has nothing to delete; that the payments are not counted is broken already.
  if (user !== null) await m.users.delete(user.id)
  await m.runDueJobs()
  const others = [club, ...shared]
  for (const { method, path, params, status } of fake.requests().slice(known)) {
    if (method === 'GET' || (status ?? 0) >= 400) continue
    const text = `${path} ${JSON.stringify(params)}`
    if (others.some((id) => text.includes(id))) broke('no changing call', `${method} ${text}: ${status}`)
  }
  if (!livingOf(plain.customer).some(({ id }) => id === club)) broke('no changing call', `${club} ended`)
  if (livingOf(plain.customer).some(({ id, cancel_at }) => id === own?.id && cancel_at === null))
    broke('counted', `${plain.email} is deleted, and ${own!.id} goes on`)
}

/** The ids of invoices for items of other shops alone, and of their payments and charges. */
function othersBillsOf(seller: Seller, { books }: FakeServer): ReadonlySet<string> {
  const bills = books.list('invoice').filter((each) => !isOwnBill(seller, each))
  const payments = new Set(bills.flatMap(({ payment }) => payment ?? []))
  const charges = books.list('charge').filter(({ payment }) => payments.has(payment))
  return new Set([...bills.map(({ id }) => id), ...payments, ...charges.map(({ id }) => id)])
}

/** Messages about this site's purchases keep their bodies, and what is stored of other purchases names no buyer. */
async function storedOf({ seller, opened, buyers }: Cases): Promise<readonly string[]> {
  const broken: string[] = []
  const broke = (law: Law, what: string) => void broken.push(`${seller.key}: ${law}: ${what}`)
  const { m, fake } = opened
  const own = new Set(buyers.flatMap(({ customer, isOwn }) => (isOwn ? [customer] : [])))
  const others = othersBillsOf(seller, fake)
  const ids = new Set(
    (['subscription', 'payment', 'charge', 'invoice', 'checkout'] as const).flatMap((kind) =>
      fake.books
        .list(kind)
        .flatMap(({ id, customer }) =>
          customer !== null && own.has(customer) && !others.has(id) ? [id] : [],
        ),
    ),
  )
  const bare = await m.storage.read((db) =>
    db.selectFrom('events').select(['type', 'object_id']).where('body', 'is', null),
  )
  for (const { type, object_id } of bare)
    if (object_id !== null && ids.has(object_id)) broke('kept', `the body of ${type} ${object_id}`)
  const texts = [
    ...(await m.storage.read((db) => db.selectFrom('facts').selectAll().where('kind', '!=', 'customer'))),
    ...(await m.storage.read((db) => db.selectFrom('payments').selectAll())),
    ...(await m.storage.read((db) => db.selectFrom('other_subscriptions').selectAll())),
  ].map((row) => JSON.stringify(row))
  for (const { email, isOwn } of buyers) {
    const found = isOwn ? undefined : texts.find((text) => text.includes(email))
    if (found !== undefined) broke('forgotten', `${email}: ${found}`)
  }
  return broken
}

/** After a week at the latest, no customer is stored with a name who bought only from other shops. */
async function peopleOf({ seller, opened, buyers }: Cases): Promise<readonly string[]> {
  const { m } = opened
  const texts = [
    ...(await m.storage.read((db) => db.selectFrom('facts').selectAll())),
    ...(await m.storage.read((db) => db.selectFrom('customers').selectAll())),
  ].map((row) => JSON.stringify(row))
  return buyers.flatMap(({ email, isOwn }) => {
    const found = isOwn ? undefined : texts.find((text) => text.includes(email))
    return found === undefined ? [] : [`${seller.key}: forgotten: ${email}: ${found}`]
  })
}

/** Renewals of what is known to be another shop's leave no body. */
async function renewedOf({ seller, opened, buyers }: Cases): Promise<readonly string[]> {
  // Some messages only name what to fetch, and Polar's tell the same order twice. Their bodies go within a week.
  if (isOneOf(['chargebee', 'polar', 'paypal'], seller)) return []
  const rows = await opened.m.storage.read((db) =>
    db.selectFrom('events').select(['type', 'object_id', 'body']).where('body', 'is not', null),
  )
  const others = new Set(buyers.flatMap(({ email, customer, isOwn }) => (isOwn ? [] : [email, customer])))
  for (const { id, customer } of opened.fake.books.list('subscription'))
    if (others.has(customer)) others.add(id)
  return rows.flatMap(({ type, object_id, body }) => {
    const text = String(body)
    const isOthers = [...others].some((word) => text.includes(word))
    return isOthers ? [`${seller.key}: forgotten: the body of ${type} ${object_id}`] : []
  })
}

import {
  addCustomer,
  attachMethod,
  cancelLater,
  cancelSubscription,
  charge,
  day,
  deleteCustomer,
  type FakeServer,
  openCheckout,
  openPayment,
  type Price,
  pauseSubscription,
  payCheckout,
  saleOf,
  scheduleNext,
  startSubscription,
  type World,
} from '../../../src/fakes/engine/index.ts'
import type { Chance } from '../chance.ts'
import type { Seller } from '../sellers.ts'

/** What the account sells beside `costs`: two apps that are not this site's, and prices of this site's own product. */
const sold = {
  year: { app: 'site', product: 'prod_site', amount: 9000, currency: 'usd', interval: 'year' },
  /** Retired: nobody buys it any more, and it still opens. */
  old: { app: 'site', product: 'prod_site', amount: 700, currency: 'usd', interval: 'month' },
  /** At Stripe, a plan names its look-up key. The price lost the key to the next one before the site came. */
  keyed: { app: 'site', product: 'prod_site', amount: 800, currency: 'usd', interval: 'month' },
  keyedNow: { app: 'site', product: 'prod_site', amount: 850, currency: 'usd', interval: 'month' },
  tool: { app: 'tool', product: 'prod_tool', amount: 444, currency: 'gbp', interval: 'month' },
  toolYear: { app: 'tool', product: 'prod_tool', amount: 4444, currency: 'gbp', interval: 'year' },
  club: { app: 'shirts', product: 'prod_club', amount: 777, currency: 'usd', interval: 'month' },
  shirt: { app: 'shirts', product: 'prod_shirt', amount: 1313, currency: 'usd', interval: null },
  /** Of this site's product, and no plan names it. */
  unnamed: { app: 'site', product: 'prod_site', amount: 650, currency: 'usd', interval: 'month' },
  /** Its plan leaves the configuration. */
  gone: { app: 'site', product: 'prod_gone', amount: 1100, currency: 'usd', interval: 'month' },
  part1: { app: 'shirts', product: 'prod_part1', amount: 1313, currency: 'usd', interval: 'month' },
  part2: { app: 'shirts', product: 'prod_part2', amount: 1323, currency: 'usd', interval: 'month' },
  part3: { app: 'shirts', product: 'prod_part3', amount: 1333, currency: 'usd', interval: 'month' },
  part4: { app: 'shirts', product: 'prod_part4', amount: 1343, currency: 'usd', interval: 'month' },
  part5: { app: 'shirts', product: 'prod_part5', amount: 1353, currency: 'usd', interval: 'month' },
  part6: { app: 'shirts', product: 'prod_part6', amount: 1363, currency: 'usd', interval: 'month' },
  part7: { app: 'shirts', product: 'prod_part7', amount: 1373, currency: 'usd', interval: 'month' },
  part8: { app: 'shirts', product: 'prod_part8', amount: 1383, currency: 'usd', interval: 'month' },
  part9: { app: 'shirts', product: 'prod_part9', amount: 1393, currency: 'usd', interval: 'month' },
  clubYear: { app: 'shirts', product: 'prod_club', amount: 6660, currency: 'usd', interval: 'year' },
} as const
export type Word = keyof typeof sold | 'month' | 'team' | 'book'

export const ownWords = [
  'month',
  'team',
  'year',
  'old',
  'keyed',
  'keyedNow',
  'book',
] as const satisfies readonly Word[]
export const foreignWords = ['tool', 'toolYear', 'club', 'shirt'] as const satisfies readonly Word[]

/** The id of a price, as the provider writes them. */
export function priceOf({ key, prices }: Seller, word: Word): string {
  if (word === 'month' || word === 'team' || word === 'book') return prices[word]
  const n = Object.keys(sold).indexOf(word)
  const { interval, currency } = sold[word]
  const ids: Readonly<Record<string, string>> = {
    chargebee: `${word}-${currency.toUpperCase()}${interval === null ? '' : `-${interval}ly`}`,
    polar: `6f0c4a52-7d1e-4b39-8c55-0a1d2e3f41${10 + n}`,
    lemonsqueezy: String(2100 + n),
    paypal: interval === null ? word : `P-${word.toUpperCase()}`,
    paddle: `pri_${word}`,
    creem: `prod_${word}`,
    dodo: `pdt_${word}`,
  }
  return ids[key] ?? `price_${word}`
}

/** Adds what the other apps sell, and this site's prices beside those of every simulation. */
export function stock(fake: FakeServer, seller: Seller): void {
  for (const [word, { product, amount, currency, interval }] of Object.entries(sold))
    fake.addPrice({
      id: priceOf(seller, word as Word),
      product,
      unit_amount: amount,
      currency,
      active: word !== 'old',
      ...(word === 'keyed' && seller.key === 'stripe' ? { lookup_key: lookUpKey } : {}),
      ...(interval === null ? {} : { recurring: { interval } }),
    })
}

/** Names the price that is sold now, as `transfer_lookup_key` does. */
export const lookUpKey = 'site_by_key'

/** Moves the look-up key to the newer price. Whoever pays the older one keeps it. */
export function moveKey(fake: FakeServer, { from, to }: { from: string; to: string }): Promise<void> {
  return fake.act((world) => {
    world.change('price', from, { lookup_key: null })
    world.change('price', to, { lookup_key: lookUpKey })
  })
}

/** How a purchase came about, and what became of it before the site was there. */
export const fates = {
  living: 50,
  'on trial': 8,
  paused: 6,
  'past due': 9,
  leaving: 6,
  canceled: 6,
  scheduled: 6,
  deleted: 5,
} as const
type Fate = keyof typeof fates

/** Who buys. `both` buys from both shops, `mixed` has items of both in one subscription. */
const kinds = { own: 34, foreign: 48, both: 10, mixed: 8 } as const
export type PersonKind = keyof typeof kinds

export interface Person {
  readonly email: string | null
  readonly kind: PersonKind
  readonly customers: Set<string>
  /** True for customers of a test clock, which no list of Stripe shows. */
  readonly isOfClock: boolean
  readonly bought: Set<Word>
  readonly history: string[]
}

/** The account’s people, and the objects that other shops sold. */
export interface Account {
  readonly seller: Seller
  readonly fake: FakeServer
  readonly people: Person[]
  /** Ids of subscriptions, payments and charges that hold nothing of this site. */
  readonly foreign: Set<string>
  /** Ids of subscriptions that also hold an item of another shop. */
  readonly mixed: Set<string>
  /** Ids of subscriptions of which money went back, so that their gates follow another table. */
  readonly taken: Set<string>
  count(what: string): void
}

/** Makes one more person, who buys at once. */
export async function addPerson(account: Account, chance: Chance, fate: Fate): Promise<void> {
  const { fake, people, count } = account
  const drawn = chance.weighted(kinds)
  const kind = drawn === 'mixed' && !hasItems(account.seller) ? 'both' : drawn
  const isNameless = chance.one(0.04)
  const named = people.filter((other) => other.email !== null && other.kind === kind)
  // Two customers of one address.
  const twin = !isNameless && named.length > 0 && chance.one(0.06) ? chance.of(named) : null
  const email = isNameless ? null : (twin?.email ?? `${kind}${people.length}@example.com`)
  const isOfClock = account.seller.key === 'stripe' && twin === null && chance.one(0.04)
  const person: Person = twin ?? {
    email,
    kind,
    isOfClock,
    customers: new Set(),
    bought: new Set(),
    history: [],
  }
  if (twin === null) people.push(person)
  count(`customers ${kind}`)
  if (isNameless) count('customers without address')
  if (isOfClock) count('customers of a test clock')
  if (twin) count('second customers of an address')
  await fake.act((world) => {
    const customer = addCustomer(world, {
      email,
      ...(person.isOfClock ? { own: { test_clock: `clock_${people.indexOf(person)}` } } : {}),
    })
    person.customers.add(customer.id)
    const words = wordsOf(kind, chance, hasItems(account.seller))
    for (const of of words) sell(account, chance, { world, person, customer: customer.id, of, fate })
    if (fate === 'deleted') deleteCustomer(world, world.store.get('customer', customer.id))
  })
}

/** True where a subscription may have several prices. */
function hasItems({ key }: Seller): boolean {
  return key === 'stripe' || key === 'paddle' || key === 'chargebee'
}

/** What somebody buys: a list of purchases, each of one price or several. */
function wordsOf(kind: PersonKind, chance: Chance, isSeveral: boolean): readonly (readonly Word[])[] {
  const own = () => [chance.of<Word>(['month', 'month', 'team', 'year', 'old', 'keyed', 'keyedNow', 'book'])]
  const foreign = () => [chance.of<Word>(foreignWords)]
  if (kind === 'own') return isSeveral && chance.one(0.1) ? [['month', 'team']] : [own()]
  if (kind === 'foreign') return chance.one(0.2) ? [foreign(), foreign()] : [foreign()]
  if (kind === 'both') return [own(), foreign()]
  return [['month', 'club']]
}

interface Sale {
  readonly world: World
  readonly person: Person
  readonly customer: string
  readonly of: readonly Word[]
  readonly fate: Fate
}

/** Sells by a payment link, or as somebody does by hand in the dashboard. */
function sell(account: Account, chance: Chance, sale: Sale): void {
  const { world, person, customer, of, fate } = sale
  const { seller, foreign, mixed, count } = account
  const isForeign = of.every((word) => foreignWords.some((other) => other === word))
  const isMixed = !isForeign && of.some((word) => foreignWords.some((other) => other === word))
  const prices = of.map((word) => world.store.get('price', priceOf(seller, word)))
  const isOnce = prices[0]!.rhythm === null
  // Other fakes announce a subscription with its page. What an invoice by hand names nowhere is known by nobody.
  const isByHand =
    chance.one(0.4) && (isOnce ? isForeign : seller.key === 'stripe' || seller.key === 'mollie')
  const card = fate === 'past due' ? '4000000000000341' : '4242424242424242'
  count(
    `${isForeign ? 'foreign' : isMixed ? 'mixed' : 'own'} ${isOnce ? 'payment' : fate} ${isByHand ? 'by hand' : 'by link'}`,
  )
  const known = world.store.list('charge').length
  const id = isOnce
    ? (isByHand ? billOnce : payByLink)(world, prices, { customer, card: '4242424242424242' })
    : (isByHand ? startByHand : payByLink)(world, prices, {
        customer,
        card: '4242424242424242',
        trial: fate === 'on trial' ? 60 : null,
      })
  person.history.push(`${world.clock.now().toISOString()} ${of.join('+')} ${fate} ${id}`)
  if (seller.key === 'mollie' && !isForeign) nameAtMollie(world, id, prices[0]!)
  for (const word of of) person.bought.add(word)
  if (isForeign) {
    foreign.add(id)
    for (const made of world.store.list('charge').slice(known)) foreign.add(made.id).add(made.payment)
  }
  if (isMixed) mixed.add(id)
  if (!isOnce) befall(world, id, { fate, card, prices, chance })
}

/** Mollie knows no prices: whoever sells notes the price with each purchase. */
function nameAtMollie(world: World, id: string, price: Price): void {
  const own = { metadata: { price_id: price.id } }
  if (world.store.find('subscription', id)) world.change('subscription', id, { own }, 'subscription changed')
  for (const page of world.store.list('checkout'))
    if (page.subscription === id || page.payment === id) world.change('checkout', page.id, { own })
}

function payByLink(
  world: World,
  prices: readonly Price[],
  { customer, trial = null }: { customer: string; card: string; trial?: number | null },
): string {
  const page = openCheckout(
    world,
    saleOf(prices[0]!, {
      customer,
      trial: trial === null ? null : { days: trial },
      lines: prices.map((price) => ({ price: price.id, quantity: 1 })),
    }),
  )
  const { checkout } = payCheckout(world, page.id, {})
  return checkout.subscription ?? checkout.payment ?? checkout.id
}

function startByHand(
  world: World,
  prices: readonly Price[],
  { customer, card, trial = null }: { customer: string; card: string; trial?: number | null },
): string {
  const method = attachMethod(world, customer, card)
  return startSubscription(world, {
    customer,
    currency: prices[0]!.currency,
    metadata: {},
    method: method.id,
    items: prices.map((price) => ({ price, quantity: 1 })),
    trialEnd: trial === null ? null : world.clock.seconds() + trial * day,
    withoutMethod: 'cancel' as const,
    coupon: null,
    code: null,
  }).id
}

function billOnce(
  world: World,
  prices: readonly Price[],
  { customer, card }: { customer: string; card: string },
): string {
  const [{ amount, currency }] = prices as [Price]
  const { id } = openPayment(world, { amount, currency, customer, description: 'Invoice' })
  const { email, name } = world.store.get('customer', customer)
  charge(world, id, { number: card, method: null, email, name }, null)
  return id
}

function befall(
  world: World,
  id: string,
  { fate, card, prices, chance }: { fate: Fate; card: string; prices: readonly Price[]; chance: Chance },
): void {
  const begun = world.store.get('subscription', id)
  if (begun.status !== 'active' && begun.status !== 'trialing') return
  if (fate === 'past due') {
    const method = attachMethod(world, begun.customer, card)
    world.change('subscription', id, { method: method.id })
  } else if (fate === 'paused') pauseSubscription(world, begun)
  else if (fate === 'leaving') cancelLater(world, begun)
  else if (fate === 'canceled') cancelSubscription(world, begun)
  else if (fate === 'scheduled' && prices.length === 1)
    scheduleNext(world, begun, [{ price: prices[0]!.id, quantity: chance.number(1, 3) }])
}

/** Lets something happen to somebody without the site: in the dashboard, at a bank, or by another link. */
export async function liveOn(account: Account, chance: Chance): Promise<void> {
  const { fake, count } = account
  const { books } = fake
  const person = chance.of(account.people)
  const isTheirs = ({ customer }: { customer: string | null }) =>
    customer !== null && person.customers.has(customer)
  const living = books
    .list('subscription')
    .filter((each) => isTheirs(each) && (each.status === 'active' || each.status === 'trialing'))
  const what = chance.weighted({ buy: 20, leave: 10, end: 6, keep: 6, refund: 12, dispute: 4, fail: 14 })
  const [customer] = [...person.customers].filter((id) => !books.find('customer', id)?.deleted)
  if (customer === undefined) return
  const [held] = living
  if (what === 'buy') {
    // Whoever bought here only stays somebody of this site.
    const of = person.kind === 'own' ? (['book'] as const) : [chance.of(foreignWords)]
    await fake.act((world) => sell(account, chance, { world, person, customer, of, fate: 'living' }))
  } else if (held === undefined) return
  else if (what === 'leave') await fake.act((world) => cancelLater(world, held))
  else if (what === 'end') await fake.act((world) => cancelSubscription(world, held))
  else if (what === 'fail') fake.failNextPayment(held.id)
  else if (what === 'refund' || what === 'dispute') {
    const paid = books.list('charge').findLast((each) => isTheirs(each) && each.status === 'paid')
    if (paid === undefined || paid.refunded > 0 || paid.disputed) return
    if (what === 'refund') fake.refund(paid.id)
    else fake.dispute(paid.id)
    const { invoice } = books.list('payment').find(({ id }) => id === paid.payment) ?? { invoice: null }
    const bill = books.find('invoice', invoice)
    if (bill !== undefined) account.taken.add(bill.subscription)
  } else return
  count(`then ${what}`)
  person.history.push(`${fake.now().toISOString()} ${what} ${held?.id ?? ''}`)
}

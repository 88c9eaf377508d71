import type { User } from '../../src/index.ts'
import { brokenHooks } from './hooks.ts'
import { notesOf } from './kept-money.ts'
import { gatesOf, priceOfOneTime, statusOf } from './oracle.ts'
import type { Person } from './person.ts'
import { gates, pricesOfGroup } from './plan.ts'
import { isLiving, ownedBy, type World } from './world.ts'

/** Compares the site with the provider, member by member. */
export async function findBroken(world: World, explained: string[]): Promise<string[]> {
  const broken: string[] = []
  const told = new Map<string, User>()
  for (const person of world.people) {
    const found = await ofPerson(world, person, explained)
    if (found.user) told.set(found.user.id, found.user)
    if (found.problems.length > 0) broken.push(report(world, person, found))
  }
  broken.push(
    ...strangers(world),
    ...toldTwice(world, told),
    ...brokenMoney(world),
    ...(await brokenQueues(world)),
    ...(await brokenNotes(world)),
    ...brokenHooks(
      world.site.told,
      told,
      (email) => world.people.findLast((person) => person.email === email)?.history ?? [],
    ),
  )
  return broken
}

interface Found {
  readonly user: User | null
  readonly problems: readonly string[]
}

/** An invoice and what paid it: one receipt, whatever was heard of first. */
function toldTwice({ site }: World, users: ReadonlyMap<string, User>): string[] {
  const named = new Set(
    site.told
      .filter(({ name }) => name === 'payment.received')
      .map(({ member, event }) => `${member} ${(event.payment as { id: string }).id}`),
  )
  return [...users.values()].flatMap((user) =>
    user
      .payments()
      .filter((p) => p.id !== p.invoice_id)
      .filter((p) => named.has(`${user.id} ${p.id}`) && named.has(`${user.id} ${p.invoice_id}`))
      .map((p) => `${user.email}: ${p.id} was told under its own name and as ${p.invoice_id}`),
  )
}

/** Two memberships at once may be over when the year is: looked for on the way. */
export function lookAtDoubles(world: World): void {
  for (const person of world.people)
    for (const problem of doubleProblems(person, world, []))
      if (!world.broken.has(problem))
        world.broken.set(problem, report(world, person, { user: null, problems: [problem] }))
}

async function ofPerson(world: World, person: Person, explained: string[]): Promise<Found> {
  const { fake } = world.site
  const owned = ownedBy(world, person)
  const subscriptions = owned.subscriptions()
  const charges = owned.charges().filter(({ paid }) => paid)
  if (person.gone) {
    const isThere = !person.again && (await world.site.m().users.findByEmail(person.email)) !== null
    const problems = [...goneProblems(subscriptions), ...(isThere ? ['is here though deleted'] : [])]
    return { user: null, problems }
  }
  const user = await world.site.m().users.findByEmail(person.email)
  if (user === null)
    return {
      user,
      problems: owned.customers.size > 0 ? [`nobody has the address ${person.email}`] : [],
    }
  return {
    user,
    problems: [
      ...accessProblems(user, gatesOf(fake, { subscriptions, charges })),
      ...subscriptionProblems(user, subscriptions),
      ...paymentProblems(world, user, charges),
      ...doubleProblems(person, world, explained),
    ],
  }
}

function goneProblems(subscriptions: readonly { id: string; status: string }[]): string[] {
  return subscriptions
    .filter(isLiving)
    .map(({ id, status }) => `${id} is ${status} though its account is deleted`)
}

function accessProblems(user: User, expected: readonly string[]): string[] {
  const open = Object.keys(gates)
    .filter((gate) => user.hasGate(gate as never))
    .sort()
  if (open.join() === expected.join()) return []
  return [`access is ${open.join(', ') || 'none'} and must be ${expected.join(', ') || 'none'}`]
}

type Raw = ReturnType<ReturnType<typeof ownedBy>['subscriptions']>[number]

function subscriptionProblems(user: User, expected: readonly Raw[]): string[] {
  const problems: string[] = []
  const ours = new Map(user.subscriptions().map((subscription) => [subscription.id, subscription]))
  for (const raw of expected) {
    const entry = ours.get(raw.id)
    ours.delete(raw.id)
    const [item] = raw.items.data
    const theirs = {
      status: raw.status,
      price_id: item?.price.id ?? null,
      quantity: item?.quantity ?? null,
      current_period_start: iso(item?.current_period_start),
      current_period_end: iso(item?.current_period_end),
      cancel_at_period_end: raw.cancel_at_period_end,
      cancel_at: iso(raw.cancel_at),
      canceled_at: iso(raw.canceled_at),
      ended_at: iso(raw.ended_at),
      trial_ends_at: iso(raw.trial_end),
      resumes_at: iso(raw.pause_collection?.resumes_at),
    }
    if (!entry) problems.push(`${raw.id} (${raw.status}) is nobody’s here`)
    else problems.push(...differences(raw.id, entry as unknown as Record<string, unknown>, theirs))
  }
  for (const id of ours.keys()) problems.push(`${id} is here and not theirs at the provider`)
  return problems
}

function differences(id: string, ours: Record<string, unknown>, theirs: Record<string, unknown>): string[] {
  return Object.entries(theirs)
    .filter(([field, value]) => ours[field] !== value)
    .map(([field, value]) => `${id} ${field} is ${String(ours[field])} and must be ${String(value)}`)
}

function iso(seconds: number | null | undefined): string | null {
  return seconds ? new Date(seconds * 1000).toISOString() : null
}

type Charge = ReturnType<ReturnType<typeof ownedBy>['charges']>[number]

function paymentProblems({ site }: World, user: User, charges: readonly Charge[]): string[] {
  const problems: string[] = []
  const ours = new Map(user.payments().map((payment) => [payment.id, payment]))
  for (const charge of charges) {
    const item = ours.get(charge.payment_intent)
    ours.delete(charge.payment_intent)
    const oneTime = priceOfOneTime(site.fake, charge)
    const theirs = {
      amount: charge.amount,
      amount_refunded: charge.amount_refunded,
      status: statusOf(site.fake, charge),
      ...(oneTime === null ? {} : { price_id: oneTime }),
    }
    if (!item) problems.push(`the payment ${charge.payment_intent} of ${charge.amount} is nobody’s here`)
    else problems.push(...differences(item.id, item as unknown as Record<string, unknown>, theirs))
    if (item && (item.subscription_id === null) !== (oneTime !== null))
      problems.push(`${item.id} belongs to ${item.subscription_id ?? 'no subscription'}`)
  }
  for (const item of ours.values())
    if (item.status !== 'failed' && item.status !== 'pending' && item.amount > 0 && item.id.startsWith('pi_'))
      problems.push(`the payment ${item.id} (${item.status}) is here and not theirs at the provider`)
  return problems
}

function doubleProblems(person: Person, world: World, explained: string[]): string[] {
  const { fake } = world.site
  const living = ownedBy(world, person)
    .subscriptions()
    .filter(isLiving)
    .filter((subscription) => subscription.items.data.some(({ price }) => pricesOfGroup.includes(price.id)))
  if (living.length < 2) return []
  const begun = [...person.sessions].filter(([id]) => {
    const session = fake.objects.get(id)
    return session?.object === 'checkout.session' && living.some((open) => open.id === session.subscription)
  })
  const pages = begun.map(([, page]) => page).sort((x, y) => x.at - y.at)
  const signedOut = pages.filter((page) => page.signedOut).length
  const browsers = new Set(pages.map(({ browser }) => browser)).size
  const text = `${person.email} has ${living.length} living subscriptions: ${living.map(({ id }) => id).join(', ')}`
  const how = `bought in ${browsers} browsers, ${signedOut} of them signed out`
  // Signed out in a browser of its own, or of somebody else at the same machine later: nothing tells whose it will be.
  const isSoon = pages.some((page, i) => i > 0 && page.at - pages[i - 1]!.at < 3_600_000)
  if (signedOut === 0 || (browsers < living.length && isSoon)) return [`${text}; ${how}`]
  explained.push(`${text}; ${how}`)
  return []
}

/** Every subscription came from a payment page that somebody was given. */
function strangers(world: World): string[] {
  const known = new Set(world.people.flatMap((person) => [...ownedBy(world, person).customers]))
  return world.site.fake.objects
    .list('subscription')
    .filter(({ customer }) => !known.has(customer))
    .map(({ id, status }) => `${id} (${status}) came from a page that nobody was given`)
}

/** For each invoice and each payment page one charge at most, for each checkout begun here one purchase at most. */
export function brokenMoney({ site: { fake } }: World): string[] {
  const broken: string[] = []
  const paid = fake.objects.list('charge').filter((charge) => charge.paid)
  const perIntent = countBy(paid.map(({ payment_intent }) => payment_intent))
  for (const [id, n] of perIntent) if (n > 1) broken.push(`${id} was charged ${n} times`)
  const complete = fake.objects.list('checkout.session').filter(({ status }) => status === 'complete')
  const perCheckout = countBy(complete.map(({ metadata }) => String(metadata.membership_intent)))
  for (const [id, n] of perCheckout) if (n > 1) broken.push(`the checkout ${id} led to ${n} purchases`)
  const perInvoice = countBy(
    fake.objects
      .list('invoice_payment')
      .filter(({ status }) => (status as string) === 'paid')
      .map(({ invoice }) => String(invoice)),
  )
  for (const [id, n] of perInvoice) if (n > 1) broken.push(`the invoice ${id} was paid ${n} times`)
  return broken
}

function countBy(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of all) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** Nothing failed for good, and nothing waits that could be done. */
async function brokenQueues({ site }: World): Promise<string[]> {
  const { storage, webhooks, operator } = site.m()
  const now = site.fake.now().toISOString()
  const failed = await webhooks.list({ failed: true })
  const fetches = await storage.read((db) => db.selectFrom('fetches').selectAll())
  const tells = await storage.read((db) =>
    db.selectFrom('notify_queue').selectAll().where('due_at', '<=', now),
  )
  const contested = await storage.read((db) =>
    db.selectFrom('facts').select(['kind', 'id']).where('contested', '=', 1),
  )
  return [
    ...failed.map(({ event_id, status, reason }) => `the event ${event_id} is ${status}: ${reason}`),
    ...fetches.map(({ kind, id, error }) => `${kind} ${id} is still to be asked for: ${error}`),
    ...(await operator.outbox.list()).map(
      ({ id, status, error }) => `the message ${id} is ${status}: ${error}`,
    ),
    ...tells.map(({ owner_id }) => `${owner_id} is still to be told of`),
    ...contested.map(({ kind, id }) => `${kind} ${id} is contested`),
  ]
}

/** Money that opened nothing is noted only where it came after the end of its subscription. */
async function brokenNotes({ site: { fake, m }, figures }: World): Promise<string[]> {
  const notes = await notesOf(m())
  figures.count('money', 'behind a note', notes.length)
  const { books } = fake
  const isLate = (note: string): boolean =>
    books.list('invoice').some(({ id, payment, paid_at, subscription }) => {
      const { ended_at } = books.find('subscription', subscription) ?? { ended_at: null }
      const isNoted = [id, payment].some((named) => named !== null && note.endsWith(` ${named}`))
      return isNoted && paid_at !== null && ended_at !== null && paid_at > ended_at
    })
  return notes.filter((note) => !isLate(note)).map((note) => `${note} is noted, and came before the end`)
}

function report(world: World, person: Person, { user, problems }: Found): string {
  const owned = ownedBy(world, person)
  return [
    `${person.name} <${person.email}>${person.gone ? ', deleted' : ''}`,
    ...problems.map((problem) => `  ! ${problem}`),
    `  customers: ${[...owned.customers].join(', ')}`,
    ...owned
      .subscriptions()
      .map(
        (subscription) =>
          `  theirs: ${subscription.id} ${subscription.status} ${subscription.items.data[0]?.price.id}`,
      ),
    ...(user?.subscriptions() ?? []).map(
      (subscription) =>
        `  ours: ${subscription.id} ${subscription.status} ${subscription.price_id} ${subscription.updated_at}`,
    ),
    ...person.history.map((line) => `  - ${line}`),
  ].join('\n')
}

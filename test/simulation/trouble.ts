import type { OutageKind } from '../../src/fakes/engine/index.ts'
import type { Chance } from './chance.ts'
import type { Person } from './person.ts'
import { isLiving, login, note, ownedBy, type World } from './world.ts'

/** What goes wrong, or happens at the provider, before anybody visits. */
export async function trouble(world: World, chance: Chance): Promise<void> {
  const { site, figures } = world
  if (chance.one(0.012)) {
    const kind = chance.of<OutageKind>(['500', '503', 'reset', 'after', 'after'])
    // The client tries three times: fewer failures it survives, more it does not.
    site.fake.outage({ kind, requests: chance.of([1, 2, 3, 3, 6]) })
    figures.count('world', `outage ${kind}`)
  }
  if (world.timeouts > 0 && chance.one(0.01)) {
    world.timeouts--
    site.fake.outage({ kind: 'timeout', requests: 1 })
    figures.count('world', 'outage timeout')
  }
  if (chance.one(0.04)) await restart(world, chance)
  if (chance.one(0.05)) await second(world, chance)
  await atTheProvider(world, chance)
}

async function restart(world: World, chance: Chance): Promise<void> {
  const { site, figures } = world
  const how = chance.of(['close', 'crash'] as const)
  const inTheMiddle = chance.one(0.5)
  // What arrives while nobody is there is answered 503, and sent again.
  const delivering = inTheMiddle ? site.fake.deliver() : null
  if (inTheMiddle) {
    const from = site.served()
    for (let turns = 0; turns < 200 && site.served() < from + 3; turns++) await turn()
  }
  await site.stop(how)
  if (site.instances() === 0) await site.open()
  const delivered = await delivering
  figures.count('world', 'delivered', delivered?.delivered ?? 0)
  figures.count('world', 'refused deliveries', delivered?.failed ?? 0)
  figures.count('world', `restart: ${how}${inTheMiddle ? ' in the middle of deliveries' : ''}`)
}

function turn() {
  return new Promise((next) => setImmediate(next))
}

/** A second process on the same database for a while. */
async function second({ site, figures }: World, chance: Chance): Promise<void> {
  if (site.instances() === 1) {
    await site.open()
    figures.count('world', 'a second process')
  } else if (chance.one(0.5)) await site.stop('close')
}

/** Refunds, disputes and cards that fail, for somebody or other. */
async function atTheProvider(world: World, chance: Chance): Promise<void> {
  const { site, figures, people } = world
  const { fake } = site
  if (people.length === 0 || !chance.one(Math.min(0.9, people.length / 250))) return
  const person = chance.of(people)
  const { subscriptions, charges } = ownedBy(world, person)
  const charge = charges()
    .filter((charge) => charge.paid && !charge.disputed && charge.amount_refunded < charge.amount)
    .at(-1)
  const dispute = fake.objects.list('dispute').find(({ status }) => status === 'needs_response')
  const living = subscriptions().find(isLiving)
  const what = chance.weighted({ refund: 25, partly: 15, dispute: 15, decide: 25, fail: 30 })
  const done = (word: string, id: string) => {
    figures.count('world', word)
    note(world, person, `at the provider: ${word} ${id}`)
  }
  if (what === 'refund' && charge) done('refund', fake.refund(charge.id).charge)
  if (what === 'partly' && charge && charge.amount - charge.amount_refunded > 100)
    done('refund in part', fake.refund(charge.id, 100).charge)
  if (what === 'dispute' && charge) done('dispute', fake.dispute(charge.id).charge)
  if (what === 'decide' && dispute) {
    const outcome = chance.of(['won', 'lost'] as const)
    fake.closeDispute(dispute.id, outcome)
    figures.count('world', `dispute ${outcome}`)
  }
  if (what === 'fail' && living) {
    fake.failNextPayment(living.id)
    done('next payment fails', living.id)
  }
}

/** Deliveries and the background jobs; some days later. */
export async function sweepUp(world: World, chance: Chance): Promise<void> {
  const { site, figures } = world
  if (chance.one(0.75)) {
    const { delivered, failed } = await site.fake.deliver()
    figures.count('world', 'delivered', delivered)
    figures.count('world', 'refused deliveries', failed)
  }
  if (chance.one(0.7)) await site.m().runDueJobs()
}

/** What was never delivered is asked for; of the last weeks: the provider forgets its events after thirty days. */
export async function pull({ site, figures }: World): Promise<void> {
  const since = new Date(site.fake.now().getTime() - 29 * 86_400_000)
  try {
    for await (const { outcome } of site.m().webhooks.pull('stripe', since))
      if (outcome !== 'duplicate') figures.count('world', 'pulled')
  } catch {
    // An outage: the next time will do.
    figures.count('world', 'pulls that failed')
  }
}

/** The end: everything arrives, nothing is broken, and the jobs run until they have nothing left to do. */
export async function settleEverything(world: World, explained: string[]): Promise<void> {
  const { site, figures } = world
  while (site.instances() > 1) await site.stop('close')
  // What is left of an outage.
  for (let i = 0; i < 10; i++) await fetch(`${site.fake.url}/v1/prices`).catch(() => {})
  for (let round = 0; round < 14; round++) {
    const { delivered } = await site.fake.deliver({ settle: true })
    figures.count('world', 'delivered', delivered)
    if (round % 5 === 0) await pull(world)
    await site.m().runDueJobs()
    // Beyond the backoff of whatever failed.
    await site.fake.advance({ ms: round < 4 ? 5_000 : 6 * 3_600_000 })
  }
  for (const person of world.people) await claimWaiting(world, person, explained)
  await site.fake.deliver({ settle: true })
  await pull(world)
  for (let round = 0; round < 3; round++) {
    await site.fake.advance({ ms: 5_000 })
    await site.m().runDueJobs()
  }
  figures.count('world', 'dropped', site.fake.dropped().length)
  figures.count('world', 'requests', site.served())
}

/** The documented rule: while an account's address is not confirmed, what others buy with it waits for a link by mail. */
async function claimWaiting(world: World, person: Person, explained: string[]): Promise<void> {
  const { customers } = ownedBy(world, person)
  const rows = await world.site
    .m()
    .storage.read((db) =>
      db
        .selectFrom('customers')
        .select('customer_id')
        .where('member_id', 'is', null)
        .where('purchased', '=', 1),
    )
  const waiting = rows.filter(({ customer_id }) => customers.has(customer_id))
  if (waiting.length === 0 || person.gone) return
  explained.push(`${waiting.length} purchase of ${person.email} waited for a link by mail`)
  // The mail server may be away for a moment.
  for (let tries = 0; tries < 3 && !(await login(world, person)); tries++)
    await world.site.fake.advance({ ms: 60_000 })
}

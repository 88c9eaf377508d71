import { buy } from './buying.ts'
import type { Chance } from './chance.ts'
import { cardOf, type Person } from './person.ts'
import { act, given, isLiving, login, mailed, newBrowser, note, ownedBy, type World } from './world.ts'

/** One visit: somebody does one of the things that people do, as far as what they have allows it. */
export async function visit(world: World, person: Person, chance: Chance): Promise<void> {
  const { subscriptions } = ownedBy(world, person)
  const all = subscriptions()
  const living = all.find(isLiving)
  const [browser] = person.browsers
  // A session lasts for thirty days.
  const since = person.inside.get(browser!)
  if (since !== undefined && world.site.fake.now().getTime() - since > 29 * 86_400_000)
    person.inside.delete(browser!)
  if (!person.inside.has(browser!) && all.length > 0 && chance.one(0.85)) await login(world, person)
  if (chance.one(0.12)) return aside(world, person, chance)
  if (living) return withSubscription(world, person, chance, living.id)
  return without(world, person, chance, all.at(-1)?.id)
}

const recurring = { price_month: 50, price_year: 20, price_team: 30 }

async function without(world: World, person: Person, chance: Chance, ended?: string): Promise<void> {
  const what = chance.weighted({ subscribe: 60, book: 20, renew: ended ? 20 : 0, resume: ended ? 3 : 0 })
  if (what === 'subscribe') return buy(world, person, chance, { price: chance.weighted(recurring) })
  if (what === 'book') return buy(world, person, chance, { price: 'price_book' })
  const answer = await act(world, person, { name: what, path: `/membership/${what}/${ended}` })
  await payWhereItLeads(world, person, answer.body.url)
}

async function withSubscription(world: World, person: Person, chance: Chance, id: string): Promise<void> {
  const { at } = { at: (what: string) => `/membership/${what}/${id}` }
  const item = (name: string, fields: Record<string, string> = {}) =>
    act(world, person, { name, path: at(name), fields })
  const proration = chance.of(['now', 'next', 'none'])
  const what = chance.weighted({
    change: 22,
    quantity: 12,
    cancel: 14,
    'cancel now': 5,
    resume: 12,
    pause: 6,
    renew: 6,
    preview: 5,
    portal: 14,
    again: 6,
    book: 8,
    twice: 6,
    'two things at once': 5,
  })
  if (what === 'change') await item('change', { price: chance.weighted(recurring), proration })
  if (what === 'quantity') await item('change', { quantity: String(chance.number(1, 6)), proration })
  if (what === 'cancel') await item('cancel')
  if (what === 'cancel now') await item('cancel', { when: 'now' })
  if (what === 'resume') await item('resume')
  if (what === 'pause') await item('pause', chance.one(0.6) ? { until: later(world, chance) } : {})
  if (what === 'renew') await payWhereItLeads(world, person, (await item('renew')).body.url)
  if (what === 'preview') await item('invoice', { price: chance.weighted(recurring), proration })
  if (what === 'portal') await inPortal(world, person, chance, id)
  if (what === 'again') {
    const fields: Record<string, string> = { price: 'price_team', ...(chance.one(0.5) ? { swap: '1' } : {}) }
    const again = { name: 'subscribe again', path: '/membership/subscribe/team', fields }
    await payWhereItLeads(world, person, (await act(world, person, again)).body.url)
  }
  if (what === 'book') await buy(world, person, chance, { price: 'price_book' })
  if (what === 'twice') {
    const [name, fields] = chance.of([
      ['cancel', {}],
      ['change', { quantity: String(chance.number(1, 6)), proration }],
      ['cancel', { when: 'now' }],
    ] as const)
    await Promise.all([item(name, fields), item(name, fields)])
  }
  if (what === 'two things at once')
    await Promise.all([item('cancel'), item('change', { price: chance.weighted(recurring), proration })])
}

function later({ site }: World, chance: Chance): string {
  return new Date(site.fake.now().getTime() + chance.number(5, 60) * 86_400_000).toISOString().slice(0, 10)
}

/** The provider's own page, with its own form. */
async function inPortal(world: World, person: Person, chance: Chance, subscription: string): Promise<void> {
  const { body } = await act(world, person, { name: 'portal', path: '/membership/portal' })
  if (typeof body.url !== 'string') return
  const what = chance.weighted({ cancel: 30, resume: 20, switch: 30, card: 20 })
  const price = chance.weighted(recurring)
  const card = cardOf(person, chance.one(0.8) ? '4242424242424242' : '4000000000000341')
  const answer = await fetch(body.url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ do: what, subscription, price, card }),
  })
  await answer.arrayBuffer()
  world.figures.count('actions', `in the portal: ${what}`)
  note(world, person, `portal ${what} ${subscription} ${what === 'switch' ? price : ''} → ${answer.status}`)
}

/** A page for an open invoice is only looked at; another checkout is paid. */
async function payWhereItLeads(world: World, person: Person, url: unknown): Promise<void> {
  const id = given(world, person, { url })
  if (id === null || typeof url !== 'string') return
  const answer = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: person.email, name: person.name }),
  })
  await answer.arrayBuffer()
  world.figures.count('actions', 'pay')
  note(world, person, `pays ${id} → ${answer.status}`)
}

/** What has nothing to do with buying, or happens to somebody. */
async function aside(world: World, person: Person, chance: Chance): Promise<void> {
  const what = chance.weighted({ browser: 25, logout: 15, name: 15, email: 15, guest: 12, book: 8, leave: 4 })
  if (what === 'browser') await login(world, person, newBrowser(world, person))
  if (what === 'logout') {
    await act(world, person, { name: 'logout', path: '/membership/logout' })
    person.inside.clear()
  }
  if (what === 'name')
    await act(world, person, {
      name: 'change the name',
      path: '/membership/account',
      fields: { name: `${person.name} ${chance.number(2, 99)}` },
    })
  if (what === 'email') await moveAddress(world, person, chance)
  // Signed out in another browser, with an address that has an account: nobody can prevent that.
  if (what === 'guest')
    await buy(world, person, chance, {
      price: chance.weighted({ ...recurring, price_book: 50 }),
      browser: newBrowser(world, person),
    })
  if (what === 'book') await buy(world, person, chance, { price: 'price_book' })
  if (what === 'leave') await leave(world, person)
}

async function moveAddress(world: World, person: Person, chance: Chance): Promise<void> {
  const seen = world.site.mails.length
  const to = `${chance.number(100, 999)}.${person.email.replace(/^\d+\./, '')}`
  const { status } = await act(world, person, {
    name: 'change the address',
    path: '/membership/account',
    fields: { email: to },
  })
  if (status !== 200) return
  const link = await mailed(world, { to, kind: 'email-change', since: seen })
  if (link === null) return
  const confirmed = await act(world, person, { name: 'confirm the address', path: link })
  if (confirmed.status === 200) person.email = to
}

async function leave(world: World, person: Person): Promise<void> {
  const { status } = await act(world, person, {
    name: 'delete the account',
    path: '/membership/account/delete',
    fields: { confirm: 'delete' },
  })
  if (status !== 200 && status !== 202) return
  person.gone = true
  person.inside.clear()
}

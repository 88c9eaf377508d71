import type { Chance } from '../chance.ts'
import { cardOf } from '../person.ts'
import { act, newBrowser, note, ownedBy, type World } from '../world.ts'
import { anotherSelf, beginAt, comeIn, livingOf, payAt, type Rogue, selfOf } from './rogue.ts'

type Misdeed = (world: World, rogue: Rogue, chance: Chance) => Promise<void>

const subscribe = '/membership/subscribe'
const prorations = ['none', 'next', 'now'] as const

/** Sends a form about each subscription that there is. */
async function toEach(
  world: World,
  rogue: Rogue,
  what: string,
  fieldsOf: () => Record<string, string>,
): Promise<void> {
  const self = selfOf(rogue)
  for (const { id } of livingOf(world, self))
    await act(world, self, { name: what, path: `/membership/${what}/${id}`, fields: fieldsOf() })
}

/** Everything that was tried, by name: what somebody does who wants the most for the least. */
export const misdeeds = {
  'buy the cheapest': async (world, rogue) => {
    const page = await beginAt(world, selfOf(rogue), `${subscribe}/pro`, { price: 'price_month' })
    if (page) await payAt(world, selfOf(rogue), { page })
  },
  'buy the cheapest under the name of the dearest': async (world, rogue, chance) => {
    const [plan, price] = chance.of([
      ['team', 'price_month'],
      ['pro', 'price_team'],
      ['pro', 'pro_month'],
    ] as const)
    const fields = { price, amount: '1', unit_amount: '1', trial_days: '365', coupon: 'free' }
    const page = await beginAt(world, selfOf(rogue), `${subscribe}/${plan}`, fields)
    if (page) await payAt(world, selfOf(rogue), { page })
  },
  'the dearest plan, the difference left out': (world, rogue, chance) =>
    toEach(world, rogue, 'change', () => ({
      price: 'price_team',
      proration: chance.of(prorations),
      ...(chance.one(0.5) ? { proration_at: hoursFromNow(world, chance.of([-24 * 20, -0.9, 1])) } : {}),
    })),
  'the dearest plan and back before the invoice': async (world, rogue, chance) => {
    for (const price of ['price_team', 'price_month', 'price_team'])
      await toEach(world, rogue, 'change', () => ({ price, proration: chance.of(prorations) }))
  },
  'the dearest plan with a card that pays nothing': async (world, rogue) => {
    const { fake } = world.site
    for (const customer of ownedBy(world, selfOf(rogue)).customers)
      fake.useCard(customer, cardOf(selfOf(rogue), '4000000000000341'))
    await toEach(world, rogue, 'change', () => ({ price: 'price_team', proration: 'now' }))
    for (const customer of ownedBy(world, selfOf(rogue)).customers)
      fake.useCard(customer, cardOf(selfOf(rogue)))
  },
  'a year for a month’s money': (world, rogue, chance) =>
    toEach(world, rogue, 'change', () => ({ price: 'price_year', proration: chance.of(prorations) })),
  'an odd quantity': (world, rogue, chance) =>
    toEach(world, rogue, 'change', () => ({
      quantity: chance.of(['0', '-1', '0.5', '1e9', '', '2', ' 1', '٣']),
      proration: chance.of(prorations),
    })),
  'pause for ever': (world, rogue, chance) =>
    toEach(
      world,
      rogue,
      'pause',
      (): Record<string, string> => (chance.one(0.5) ? {} : { until: '2099-01-01' }),
    ),
  'pause, and go on for a day': async (world, rogue) => {
    await toEach(world, rogue, 'pause', () => ({}))
    await toEach(world, rogue, 'resume', () => ({}))
  },
  'cancel and stay': (world, rogue) => toEach(world, rogue, 'cancel', () => ({})),
  'cancel at once and take it back': async (world, rogue) => {
    const { subscriptions } = ownedBy(world, selfOf(rogue))
    await toEach(world, rogue, 'cancel', () => ({ when: 'now' }))
    for (const { id } of subscriptions())
      for (const what of ['resume', 'renew'])
        await act(world, selfOf(rogue), { name: what, path: `/membership/${what}/${id}` })
  },
  'a trial again': async (world, rogue) => {
    await toEach(world, rogue, 'cancel', () => ({ when: 'now' }))
    const page = await beginAt(world, selfOf(rogue), `${subscribe}/pro`, { price: 'price_month' })
    if (page) await payAt(world, selfOf(rogue), { page })
  },
  'a trial again under another address': async (world, rogue) => {
    await toEach(world, rogue, 'cancel', () => ({ when: 'now' }))
    const self = anotherSelf(world, rogue)
    const page = await beginAt(world, self, `${subscribe}/pro`, { price: 'price_month' })
    if (page) await payAt(world, self, { page })
  },
  'two tabs': async (world, rogue) => {
    const self = selfOf(rogue)
    const pages = await Promise.all(
      ['team', 'pro'].map((plan) =>
        beginAt(world, self, `${subscribe}/${plan}`, {
          price: plan === 'pro' ? 'price_month' : 'price_team',
        }),
      ),
    )
    for (const page of new Set(pages.filter((page) => page !== null)))
      await payAt(world, self, { page, back: false })
  },
  'another browser': async (world, rogue) => {
    newBrowser(world, selfOf(rogue))
    await comeIn(world, selfOf(rogue))
  },
  'the book, and the money back': async (world, rogue) => {
    const page = await beginAt(world, selfOf(rogue), '/membership/payment', { product: 'price_book' })
    if (page) await payAt(world, selfOf(rogue), { page })
    const book = ownedBy(world, selfOf(rogue))
      .charges()
      .find(
        (charge) => charge.amount === 1900 && charge.paid && !charge.disputed && charge.amount_refunded === 0,
      )
    if (book === undefined) return
    world.site.fake.dispute(book.id)
    note(world, selfOf(rogue), `tells the bank that ${book.id} was not theirs`)
  },
  'leave, and come again': async (world, rogue) => {
    const self = selfOf(rogue)
    const fields = { confirm: 'delete' }
    const { status } = await act(world, self, { name: 'leave', path: '/membership/account/delete', fields })
    if (status !== 200 && status !== 202) return
    self.gone = true
    self.inside.clear()
    anotherSelf(world, rogue)
  },
} satisfies Record<string, Misdeed>

export type MisdeedName = keyof typeof misdeeds

function hoursFromNow({ site }: World, hours: number): string {
  return new Date(site.fake.now().getTime() + hours * 3_600_000).toISOString()
}

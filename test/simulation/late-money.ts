import { useCard } from '../../src/fakes/engine/cards.ts'
import { endSubscription } from '../../src/fakes/engine/ending.ts'
import { collect } from '../../src/fakes/engine/index.ts'
import { heldBy } from './held.ts'
import { sortKeptMoney } from './kept-money.ts'
import { settle } from './year.ts'
import { type Buyer, openYear, type Year, type YearOptions } from './year-site.ts'
import { comeBack, comeIn } from './year-visits.ts'

/** Somebody whose renewal fails until the membership has ended, and whose invoice is paid when its period is over. */
export async function simulateLateMoney(options: Pick<YearOptions, 'seller' | 'database'>) {
  const { year, years, close } = await openYear({ ...options, seed: '1', members: 1, months: 4, chaos: {} })
  try {
    const [buyer] = year.buyers
    await subscribe(year, buyer!)
    await settle(years)
    const [subscription] = heldBy(year, buyer!).subscriptions
    const { id, customer } = subscription!
    year.fake.useCard(customer, '4000000000000341')
    await year.fake.advance({ months: 1, days: 23 })
    await settle(years)
    // Some keep it past due or suspended until somebody ends it.
    await year.fake.act((world) =>
      world.store.get('subscription', id).ended_at === null ? endSubscription(world, id, 'unpaid') : null,
    )
    await settle(years)
    await year.fake.advance({ days: 40 })
    const bill = year.fake.books
      .list('invoice')
      .find((invoice) => invoice.subscription === id && invoice.status === 'open')
    await year.fake.act((world) =>
      collect(world, bill!.id, { method: useCard(world, customer, '4242424242424242').id }),
    )
    await settle(years)
    return await sortKeptMoney(years)
  } finally {
    await close()
  }
}

async function subscribe(year: Year, buyer: Buyer): Promise<void> {
  const { seller, fake } = year
  if (seller.asksNoAddress) await comeIn(year, buyer)
  const fields = { price: seller.prices.month }
  const { status, json, text } = await buyer.visitor.send('/membership/subscribe/pro', fields)
  if (status !== 201) throw new Error(`${seller.key}: ${status} ${text}`)
  const page = seller.checkoutIn(json.url)!
  buyer.pages.add(page)
  await fake.pay(page, { email: buyer.email, name: buyer.email })
  await fake.deliver()
  await comeBack(year, buyer, 'pro', json.intent_id)
}

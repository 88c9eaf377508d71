import test, { type ExecutionContext } from 'ava'
import { parseSold } from '../../../src/core/dto/sold.ts'
import { createMembership } from '../../../src/index.ts'
import { lemonEvent, lemonSubscription } from '../../providers/lemonsqueezy/events.ts'
import { allDatabases, type TestDatabase } from '../../support/databases.ts'

// Lemon Squeezy's invoices name no variant, so the prices that a subscription had are dated.

const webhook = 'lemon-webhook-secret'
const plans = {
  pro: { prices: [{ id: '1001', amount: 1200, currency: 'EUR', interval: 'month' as const }] },
  year: { prices: [{ id: '1003', amount: 12000, currency: 'EUR', interval: 'year' as const }] },
}

function seen(day: string, variant_id: number) {
  return lemonEvent(
    'subscription_updated',
    lemonSubscription({ variant_id, updated_at: `2026-03-${day}T00:00:00.000000Z` }),
  )
}

async function datesAfter(t: ExecutionContext, opened: TestDatabase, messages: readonly object[]) {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: () => new Date('2026-03-20T00:00:00Z'),
    'membership.compare.automatic': false,
    'membership.database.url': await opened.url(),
    'membership.provider.handler': 'lemonsqueezy',
    'membership.providers.lemonsqueezy': { webhook, livemode: false, plans },
  })
  t.teardown(() => m.close())
  for (const message of messages) {
    const body = Buffer.from(JSON.stringify(message))
    await m.webhooks.receive('lemonsqueezy', { body, headers: m.webhooks.sign('lemonsqueezy', body) })
  }
  const [row] = await m.storage.read((db) => db.selectFrom('subscriptions').select(['price_id', 'sold']))
  const dates = [...parseSold(row?.sold ?? '').values()].map(({ id, seen_from, seen_until }) => [
    id,
    seen_from?.slice(8, 10),
    ...(seen_until === undefined ? [] : [seen_until.slice(8, 10)]),
  ])
  return { price: row?.price_id, dates }
}

function ordersOf<T>(list: readonly T[]): (readonly T[])[] {
  return list.length < 2
    ? [list]
    : list.flatMap((item, n) =>
        ordersOf([...list.slice(0, n), ...list.slice(n + 1)]).map((rest) => [item, ...rest]),
      )
}

for (const database of allDatabases) {
  test(`${database.name}: the prices that a subscription had are dated, in any order of its messages`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    const messages = [seen('01', 1001), seen('04', 1001), seen('07', 1003), seen('09', 1003)]
    for (const order of ordersOf(messages))
      t.deepEqual(await datesAfter(t, opened, order), {
        price: '1003',
        dates: [
          ['1001', '01', '04'],
          ['1003', '07'],
        ],
      })
  })

  test(`${database.name}: a price that came back has no last day`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    for (const order of ordersOf([seen('01', 1001), seen('07', 1003), seen('09', 1001)]))
      t.deepEqual(await datesAfter(t, opened, order), {
        price: '1001',
        dates: [
          ['1001', '01'],
          ['1003', '07', '07'],
        ],
      })
  })
}

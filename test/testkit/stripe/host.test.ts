import test from 'ava'
import type { Membership } from '../../../src/membership.ts'
import { openHost, secret } from '../../support/host.ts'
import { stripeProvider } from '../../support/stripe-events.ts'
import { openFake, subscribe } from './support.ts'

const waiting = async (m: Membership) =>
  (await m.storage.read((db) => db.selectFrom('fetches').select('id'))).length

for (const seed of [1, 2, 3])
  test(`a site that is sent the fake’s events through chaos ends with what the fake has (seed ${seed})`, async (t) => {
    const { fake, stripe } = await openFake(t, { seed, chaos: { duplicate: 0.3, delay: 0.3, reorder: 0.5 } })
    const { m, hook } = await openHost(t, {
      'membership.providers.stripe.secret': fake.secret,
      'membership.providers.stripe.api_base': fake.url,
      now: fake.now,
    })
    fake.sendTo({ url: hook, secret })
    const stays = await subscribe({ fake, stripe }, { email: 'stays@example.com' })
    const leaves = await subscribe({ fake, stripe }, { email: 'leaves@example.com' })
    await fake.deliver()
    await stripe.subscriptions.update(leaves.id, { cancel_at_period_end: true })
    await fake.advance({ days: 10 })
    await fake.deliver()
    await fake.advance({ days: 22 })
    t.deepEqual(await fake.deliver({ settle: true }).then(({ failed, pending }) => [failed, pending]), [0, 0])
    // What two events of one second leave open is asked for.
    for (let round = 0; round < 20 && (await waiting(m)) > 0; round++) {
      await fake.advance({ ms: 5000 })
      await m.work()
    }
    t.is(await waiting(m), 0)
    const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select(['id', 'data']))
    t.deepEqual(rows.map(({ id }) => id).sort(), [stays.id, leaves.id].sort())
    const provider = stripeProvider({ secret: fake.secret, api_base: fake.url }, fake.now)
    for (const { id, data } of rows) {
      const [change] = (await provider.fetch!({ kind: 'subscription', id }))!.changes
      if (change?.type !== 'subscription') throw new TypeError('no subscription')
      const {
        updated_at: _,
        provider: _p,
        account: _a,
        ...kept
      } = JSON.parse(String(data)) as Record<string, unknown>
      t.like(kept, { ...change.data })
      t.is(kept.status, id === stays.id ? 'active' : 'canceled')
    }
  })

import test from 'ava'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox } from '../../support/visitor.ts'

type Opened = Pick<StripeSite, 'fake' | 'm'>

const plans = {
  'membership.providers.stripe.plans': { pro: { group: 'a', prices: ['price_month', 'price_year'] } },
  'membership.shop.california': true,
}

/** Lets messages, jobs and mails arrive. */
async function settle({ fake, m }: Opened) {
  for (let n = 0; n < 60; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}

async function wait(opened: Opened, days: number) {
  await opened.fake.advance({ days })
  await settle(opened)
  await settle(opened)
}

/** Buys as somebody who lives in California. */
async function buyThere(opened: StripeSite, email: string, price?: string) {
  const bought = await buy(opened, email, price === undefined ? {} : { price })
  const { customer } = opened.fake.objects.get(bought.session.id as string) as { customer: unknown }
  await askFake(opened.fake, 'POST', `/v1/customers/${customer}`, {
    'address[country]': 'US',
    'address[state]': 'CA',
  })
  await settle(opened)
  return bought
}

test('the yearly reminder and the place go with the purchase through a merge and its undo, and nobody reads twice', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...plans })
  const { m } = opened
  const { user: gone } = await buyThere(opened, 'gone@example.com')
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  const reminded = () => mailbox.sent.filter(({ kind }) => kind === 'yearly-reminder').map(({ to }) => to)
  const places = async () =>
    (
      await m.storage.read<{ member_id: string; place: string }>((db) =>
        db.selectFrom('customers').select(['member_id', 'place']),
      )
    ).map(({ member_id, place }) => [member_id, place])
  await wait(opened, 352)
  t.deepEqual(reminded(), ['gone@example.com'])
  await m.users.merge({ keep: kept.id, merge: gone.id, by: 'op', write: true })
  await wait(opened, 1)
  t.deepEqual(await places(), [[kept.id, 'california']])
  await m.users.unmerge({ merged: gone.id, by: 'op' })
  await wait(opened, 1)
  t.deepEqual(await places(), [[gone.id, 'california']])
  t.deepEqual(reminded(), ['gone@example.com'])
  await m.users.merge({ keep: kept.id, merge: gone.id, by: 'op', write: true })
  await wait(opened, 366)
  t.is(reminded().length, 2, 'once more in the second year')
})

test('a proof of consent goes and returns with its account, and outlives the one that it belongs to', async (t) => {
  const opened = await openStripeSite(t, plans)
  const { m } = opened
  const { user: gone } = await buyThere(opened, 'gone@example.com', 'price_year')
  const proofs = () =>
    m.storage.read<{ member_id: string | null; email: string | null; price_id: string }>((db) =>
      db.selectFrom('consent_proofs').select(['member_id', 'email', 'price_id']),
    )
  // The order is deleted for its age, and the proof stays.
  await wait(opened, 790)
  const proof = { email: 'gone@example.com', price_id: 'price_year' }
  t.deepEqual(await proofs(), [{ ...proof, member_id: gone.id }])
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  const exported = async (id: string) =>
    (await m.users.export((await m.users.findById(id))!)).consent_proofs.length
  await m.users.merge({ keep: kept.id, merge: gone.id, by: 'op', write: true })
  t.deepEqual(await proofs(), [{ ...proof, member_id: kept.id }])
  t.is(await exported(kept.id), 1)
  await m.users.unmerge({ merged: gone.id, by: 'op' })
  t.deepEqual([await exported(kept.id), await exported(gone.id)], [0, 1])
  await m.users.delete(kept.id)
  await wait(opened, 1)
  t.deepEqual(
    await proofs(),
    [{ ...proof, member_id: gone.id }],
    'nothing of another account is kept or lost',
  )
  await m.operator.afterRestore()
  t.deepEqual(await proofs(), [{ ...proof, member_id: gone.id }])
  await m.users.delete(gone.id)
  await wait(opened, 1)
  t.deepEqual(await proofs(), [{ ...proof, member_id: null }])
})

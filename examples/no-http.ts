import { createMembership, membership, subscriptionForPrice, subscriptions } from 'membership'

const m = await createMembership({ 'membership.database.url': 'sqlite::memory:' })

await m.users.create({ email: 'ada@example.com', name: 'Ada', verified: true })
const ada = await m.users.findByEmail('ada@example.com')
if (ada)
  await m.users.grant({ memberId: ada.id, gate: 'price_monthly', source: 'gift', reason: 'Won the raffle' })

// What a user holds is loaded with it: after a change, load it again.
const user = await m.users.findByEmail('ada@example.com')
console.log(user?.hasGate('price_monthly'), user?.explain('price_monthly').reason)
console.log(subscriptions(user).length, subscriptionForPrice('price_monthly', user))

// Templates and mails ask for the current member; scripts say who that is.
console.log(m.runAs(user, () => membership().allows('price_monthly')))

await m.close()

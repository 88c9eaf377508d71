import { createMembership, membership } from 'membership'
import options from './membership.config.mjs'

const m = await createMembership({ ...options, 'membership.url': 'https://site.example' })
const email = 'ada@example.com'
const found = async () => (await m.users.findByEmail(email)) ?? m.users.create({ email, verified: true })
await found()

// Nothing listens here: what the provider has told meanwhile is asked for.
const anHourAgo = new Date(Date.now() - 3_600_000)
for await (const { outcome } of m.webhooks.pull('stripe', anHourAgo)) console.log(outcome)

const ada = await found()
const isMember = m.runAs(ada, () => membership().allows('pro'))
console.log(isMember)
if (isMember) await m.subscriptions.cancel({ user: ada, subscriptionId: ada.subscriptions()[0].id })
else console.log((await m.checkout.start({ user: ada, price: 'price_pro' })).url)
await m.close()

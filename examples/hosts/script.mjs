import { createMembership, membership } from 'membership'
import { settings } from './settings.mjs'

const m = await createMembership({ ...settings, 'membership.url': 'https://site.example' })
await m.users.create({ email: 'ada@example.com', verified: true })
const ada = await m.users.findByEmail('ada@example.com')
console.log(m.runAs(ada, () => membership().allows('pro')))
const { url } = await m.checkout.start({ user: ada, price: 'price_pro' })
console.log(url)
await m.close()

import config from '@payload-config'
import { getPayload } from 'payload'

const payload = await getPayload({ config })
const password = 'correct horse battery staple'
await payload.create({ collection: 'editors', data: { email: 'ed@example.com', password } })
for (const email of ['ada@example.com', 'bob@example.com'])
  await payload.create({
    collection: 'members',
    data: { email, password, _verified: true },
    disableVerificationEmail: true,
  })
const free = { title: 'Free', slug: 'free', body: 'Everybody reads this.', _status: 'published' as const }
await payload.create({ collection: 'posts', data: free })
const secret = {
  title: 'Gated',
  slug: 'gated',
  body: 'CLOSED-TEXT one',
  gate: 'pro',
  _status: 'published' as const,
}
const gated = await payload.create({ collection: 'posts', data: secret })
// A second version, and a draft beside what is published.
await payload.update({
  collection: 'posts',
  id: gated.id,
  data: { body: 'CLOSED-TEXT two', _status: 'published' },
})
await payload.update({
  collection: 'posts',
  id: gated.id,
  data: { body: 'DRAFT-TEXT', _status: 'draft' },
  draft: true,
})
await payload.create({
  collection: 'posts',
  data: { title: 'Plan', slug: 'draft', body: 'DRAFT-TEXT free', _status: 'draft' },
  draft: true,
})
await payload.create({
  collection: 'notes',
  data: { title: 'A note', recipe: 'CLOSED-TEXT recipe', about: gated.id },
})
console.log('seeded')
process.exit(0)

import { join } from 'node:path'
import { sqliteAdapter } from '@payloadcms/db-sqlite'
import { searchPlugin } from '@payloadcms/plugin-search'
import { env } from 'membership'
import { membershipPlugin, requires, requiresField } from 'membership/payload'
import { buildConfig } from 'payload'

const data = process.env.SITE_DATA ?? join(process.cwd(), 'data')

export default buildConfig({
  secret: process.env.PAYLOAD_SECRET ?? 'only-for-development',
  db: sqliteAdapter({ client: { url: `file:${join(data, 'payload.db')}` } }),
  admin: { user: 'editors' },
  collections: [
    { slug: 'editors', auth: true, fields: [] },
    { slug: 'members', auth: { verify: true }, access: { create: () => true }, fields: [] },
    {
      slug: 'posts',
      access: { read: requires() }, // each post says in `gate` who may read it
      versions: { drafts: true },
      admin: { useAsTitle: 'title' },
      fields: [
        { name: 'title', type: 'text', required: true },
        { name: 'slug', type: 'text', index: true },
        { name: 'body', type: 'textarea' },
      ],
    },
    {
      slug: 'notes',
      access: { read: () => true },
      fields: [
        { name: 'title', type: 'text' },
        { name: 'recipe', type: 'text', access: { read: requiresField('pro') } },
        { name: 'about', type: 'relationship', relationTo: 'posts' },
      ],
    },
  ],
  plugins: [
    searchPlugin({
      collections: ['posts'],
      // An entry of the search is a copy: it is closed as its post is.
      beforeSync: ({ originalDoc, searchDoc }) => ({
        ...searchDoc,
        gate: originalDoc.gate,
        excerpt: originalDoc.body,
      }),
      searchOverrides: {
        access: { read: requires() },
        fields: ({ defaultFields }) => [...defaultFields, { name: 'excerpt', type: 'text' }],
      },
    }),
    membershipPlugin({
      members: 'members',
      loginPage: '/login',
      showsOffice: () => true,
      membership: {
        'membership.url': process.env.SITE_URL ?? 'http://localhost:3000',
        'membership.database.url': `sqlite:${join(data, 'membership.db')}`,
        'membership.provider.handler': 'stripe',
        'membership.providers.stripe': {
          secret: env('STRIPE_SECRET'),
          webhook: env('STRIPE_WEBHOOK_SECRET'),
          api_base: process.env.STRIPE_API_BASE,
          plans: {
            pro: {
              name: 'Pro',
              prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }],
            },
          },
        },
      },
    }),
  ],
  typescript: { autoGenerate: false },
})

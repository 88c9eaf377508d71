import { env } from 'membership'

/** What every host's example opens, and the commands of `membership`: Stripe, or what plays it in the walk.
 *  @type {import('membership').MembershipOptions} */
export default {
  // Providers and mails lead back here.
  'membership.url': process.env.SITE_URL ?? 'http://localhost:3000',
  'membership.database.url': process.env.MEMBERSHIP_DATABASE ?? 'sqlite:data/site.db',
  // PostgreSQL asks for it, because several processes share it. With SQLite it is made at the first start.
  ...(process.env.MEMBERSHIP_SECRET ? { 'membership.secret': process.env.MEMBERSHIP_SECRET } : {}),
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe': {
    secret: env('STRIPE_SECRET'),
    webhook: env('STRIPE_WEBHOOK_SECRET'),
    api_base: process.env.STRIPE_API_BASE,
    plans: { pro: { prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }] } },
  },
  // Without a transport no page offers a login by a link.
  mails: { transport: async ({ to, subject, text }) => console.log(`To ${to}: ${subject}\n\n${text}`) },
}

// membership.config.ts
import { definePlans, type MembershipOptions } from 'membership'

export default {
  'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox': {},
  'membership.plans': definePlans({
    pro: { name: 'Pro', prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
  }),
  mails: { transport: async ({ to, subject, text }) => console.log(`To ${to}: ${subject}\n\n${text}`) },
} satisfies MembershipOptions

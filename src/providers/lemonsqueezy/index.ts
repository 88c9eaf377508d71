import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { lemonSqueezyChanges } from './changes.ts'
import { readLemonSqueezy } from './read.ts'
import { lemonSqueezySecrets } from './secrets.ts'
import { lemonSqueezyScheme } from './verify.ts'

/** Lemon Squeezy: subscriptions, one-time purchases and refunds, as its webhooks tell them. */
export const lemonsqueezy = defineProvider({
  key: 'lemonsqueezy',
  lacks: listenedTo,
  options: z.object({}),
  customers: 'by_address',
  mode: 'message',
  secrets: lemonSqueezySecrets,
  create: ({ plans }) => ({
    key: 'lemonsqueezy',
    verify: (delivery, secrets, now) =>
      verifyHmac(lemonSqueezyScheme, { delivery, secrets, now, toleranceSeconds: null }),
    read: readLemonSqueezy,
    changes: lemonSqueezyChanges((variant) =>
      plans().some(({ prices }) => prices.some(({ id, type }) => id === variant && type === 'one_time')),
    ),
    sign: (body, secret, now) => signHmac(lemonSqueezyScheme, body, secret, now),
  }),
})

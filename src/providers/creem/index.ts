import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { creemChanges } from './changes.ts'
import { readCreem } from './read.ts'
import { creemSecrets } from './secrets.ts'
import { creemScheme, schemeOf } from './verify.ts'

const options = z.object({
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time, where it has one, may be away from the server’s.'),
})

/** Creem: subscriptions, one-time purchases, refunds and disputes, as its webhooks tell them. */
export const creem = defineProvider({
  key: 'creem',
  lacks: listenedTo,
  options,
  customers: 'by_address',
  mode: 'message',
  secrets: creemSecrets,
  create: ({ options: { webhook_tolerance: toleranceSeconds } }) => ({
    key: 'creem',
    verify: (delivery, secrets, now) =>
      verifyHmac(schemeOf(delivery), { delivery, secrets, now, toleranceSeconds }),
    read: readCreem,
    changes: creemChanges,
    sign: (body, secret, now) => signHmac(creemScheme, body, secret, now),
  }),
})

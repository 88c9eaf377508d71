import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { dodoChanges } from './changes.ts'
import { readDodo } from './read.ts'
import { dodoSecrets } from './secrets.ts'
import { dodoScheme } from './verify.ts'

const options = z.object({
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
})

/** Dodo Payments: subscriptions, one-time payments, refunds and disputes, as its webhooks tell them. */
export const dodo = defineProvider({
  key: 'dodo',
  lacks: listenedTo,
  options,
  customers: 'by_address',
  mode: 'host',
  secrets: dodoSecrets,
  create: ({ options: { webhook_tolerance: toleranceSeconds } }) => ({
    key: 'dodo',
    verify: (delivery, secrets, now) => verifyHmac(dodoScheme, { delivery, secrets, now, toleranceSeconds }),
    keeps: ['webhook-id'],
    read: readDodo,
    changes: dodoChanges,
    sign: (body, secret, now) => signHmac(dodoScheme, body, secret, now),
  }),
})

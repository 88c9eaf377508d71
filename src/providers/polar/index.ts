import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac } from '../signatures.ts'
import { polarChanges } from './changes.ts'
import { polarDigits } from './minor-units.ts'
import { readPolar } from './read.ts'
import { polarSecrets } from './secrets.ts'
import { polarScheme, verifyPolar } from './verify.ts'

const options = z.object({
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
})

/** Polar: subscriptions, one-time purchases and refunds, as its webhooks tell them. */
export const polar = defineProvider({
  key: 'polar',
  lacks: listenedTo,
  options,
  customers: 'by_address',
  mode: 'host',
  secrets: polarSecrets,
  minorDigits: polarDigits,
  create: ({ options: { webhook_tolerance: toleranceSeconds } }) => ({
    key: 'polar',
    verify: (delivery, secrets, now) => verifyPolar({ delivery, secrets, now, toleranceSeconds }),
    keeps: ['webhook-id'],
    read: readPolar,
    changes: polarChanges,
    sign: (body, secret, now) => signHmac(polarScheme, body, secret, now),
  }),
})

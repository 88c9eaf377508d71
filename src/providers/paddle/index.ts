import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { signHmac, verifyHmac } from '../signatures.ts'
import { paddleChanges } from './changes.ts'
import { readPaddle } from './read.ts'
import { paddleSecrets } from './secrets.ts'
import { paddleScheme } from './verify.ts'

const options = z.object({
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    .default(300)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
})

/** Paddle Billing: subscriptions, one-time payments, refunds and disputes, as its notifications tell them. */
export const paddle = defineProvider({
  key: 'paddle',
  lacks: listenedTo,
  options,
  mode: 'host',
  secrets: paddleSecrets,
  create: ({ options: { webhook_tolerance: toleranceSeconds } }) => ({
    key: 'paddle',
    verify: (delivery, secrets, now) =>
      verifyHmac(paddleScheme, { delivery, secrets, now, toleranceSeconds }),
    read: readPaddle,
    changes: paddleChanges,
    sign: (body, secret, now) => signHmac(paddleScheme, body, secret, now),
  }),
})

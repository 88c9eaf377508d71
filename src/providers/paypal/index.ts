import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { createCertificates } from './certificates.ts'
import { readChain } from './chain.ts'
import { paypalChanges } from './changes.ts'
import { readPayPal } from './read.ts'
import { paypalSecrets } from './secrets.ts'
import { verifyPayPal } from './verify.ts'

const options = z.object({
  webhook_tolerance: z
    .number()
    .int()
    .positive()
    // PayPal repeats for three days, and does not say whether under the old time.
    .default(345_600)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.'),
  certificate: z
    .string()
    .optional()
    .describe(
      'The certificate that signs webhooks, as PEM, where a server cannot fetch it from PayPal. It changes whenever PayPal renews it.',
    ),
})

/** PayPal: subscriptions, orders, refunds and disputes, as its webhooks tell them. */
export const paypal = defineProvider({
  key: 'paypal',
  lacks: listenedTo,
  options,
  mode: 'host',
  secrets: paypalSecrets,
  create: ({ options: { webhook_tolerance: toleranceSeconds, certificate }, livemode, plans }) => {
    const fetched = createCertificates()
    const find = certificate === undefined ? fetched : async () => readChain(certificate)
    return {
      key: 'paypal',
      verify: (delivery, secrets, now) =>
        verifyPayPal({ delivery, secrets, now, toleranceSeconds, find, livemode }),
      read: readPayPal,
      changes: (event) =>
        paypalChanges(event, (id) =>
          plans()
            .flatMap(({ prices }) => prices)
            .find((price) => price.id === id),
        ),
    }
  },
})

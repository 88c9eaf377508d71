import { z } from 'zod'
import { defineProvider } from '../define.ts'
import { listenedTo } from '../features.ts'
import { chargebeeChanges } from './changes.ts'
import { readChargebee } from './read.ts'
import { chargebeeSecrets } from './secrets.ts'
import { verifyCredentials, writeCredentials } from './verify.ts'

/** Chargebee: subscriptions, one-time charges and refunds, as its webhooks tell them. */
export const chargebee = defineProvider({
  key: 'chargebee',
  lacks: listenedTo,
  options: z.object({}),
  mode: 'host',
  secrets: chargebeeSecrets,
  create: () => ({
    key: 'chargebee',
    trust: 'credentials',
    verify: verifyCredentials,
    read: readChargebee,
    changes: chargebeeChanges,
    sign: (_body, secret) => writeCredentials(secret),
  }),
})

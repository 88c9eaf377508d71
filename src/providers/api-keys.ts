import { z } from 'zod'
import type { Provider } from './contract.ts'

/** The option `secret`: one API key, or one for each account by its label. */
export const apiKeys = z
  .union([z.string().min(1), z.record(z.string(), z.string().min(1))], {
    error: 'must be an API key, or API keys by label',
  })
  .optional()

/** Builds the provider once per API key, by label (null without a label). The first one is used for new
 *  checkouts. Without a key, only webhooks are received. */
export const byApiKey = (
  secret: z.infer<typeof apiKeys>,
  ofKey: (key: string | undefined, label: string | null) => Provider,
): Provider => {
  if (typeof secret !== 'object') return ofKey(secret, null)
  const accounts = new Map(Object.entries(secret).map(([label, key]) => [label, ofKey(key, label)]))
  const [first] = accounts.values()
  return { ...(first ?? ofKey(undefined, null)), ...(first ? { accounts } : {}) }
}

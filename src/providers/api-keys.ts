import { z } from 'zod'
import type { Provider } from './contract.ts'

/** The option `secret`: an API key, or one for each of several accounts by its label. */
export const apiKeys = z
  .union([z.string().min(1), z.record(z.string(), z.string().min(1))], {
    error: 'must be an API key, or API keys by label',
  })
  .optional()

/** The provider as each API key has it, by its label (null for a key without one); the first is the one for new
 *  checkouts. Without a key it is listened to only. */
export const byApiKey = (
  secret: z.infer<typeof apiKeys>,
  ofKey: (key: string | undefined, label: string | null) => Provider,
): Provider => {
  if (typeof secret !== 'object') return ofKey(secret, null)
  const accounts = new Map(Object.entries(secret).map(([label, key]) => [label, ofKey(key, label)]))
  const [first] = accounts.values()
  return { ...(first ?? ofKey(undefined, null)), ...(first ? { accounts } : {}) }
}

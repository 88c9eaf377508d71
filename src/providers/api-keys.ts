import { z } from 'zod'
import type { ApiOptions } from './api.ts'
import type { Provider, ProviderContext } from './contract.ts'
import type { SecretShapes } from './secret-shapes.ts'

/** The option `secret`: one API key, or one for each account by its label. */
export const apiKeys = z
  .union([z.string().min(1), z.record(z.string(), z.string().min(1))], {
    error: 'must be an API key, or API keys by label',
  })
  .optional()

/** The option `api_base`. */
export const apiBase = z.url().optional().describe('Another address of the API, for tests.')

/** The option `webhook_tolerance`, for signatures that include a time. */
export function webhookTolerance(seconds = 300) {
  return z
    .number()
    .int()
    .positive()
    .default(seconds)
    .describe('Seconds that a webhook’s signed time may be away from the server’s.')
}

/** An API key, its account, and its mode. */
export interface ApiAccess {
  readonly secret: string
  /** Label of the account; null without one. */
  readonly label: string | null
  /** Mode that the key itself shows; null if it does not. */
  readonly livemode: boolean | null
  /** True in test mode: as the key shows it, else as the site says. */
  readonly isTest: boolean
}

/** The two halves of a provider: receiving webhooks needs no API key, everything else does. */
export interface ProviderHalves {
  readonly secrets: SecretShapes
  /** `isAsked` is true if there is an API key, too. */
  receive(isAsked: boolean): Provider
  act(access: ApiAccess): Partial<Provider>
}

/**
 * Builds the provider once per API key, by label. The first one is used for new checkouts. Without a key,
 * only webhooks are received.
 */
export function byApiKey(
  { options, livemode }: ProviderContext<{ readonly secret?: z.infer<typeof apiKeys> }>,
  { secrets, receive, act }: ProviderHalves,
): Provider {
  const ofKey = (secret: string | undefined, label: string | null = null): Provider => {
    if (secret === undefined) return receive(false)
    const shown = secrets.livemode?.(secret) ?? null
    return {
      ...receive(true),
      ...(shown === null ? {} : { livemode: shown }),
      ...act({ secret, label, livemode: shown, isTest: (shown ?? livemode) === false }),
    }
  }
  if (typeof options.secret !== 'object') return ofKey(options.secret)
  const accounts = new Map(Object.entries(options.secret).map(([label, key]) => [label, ofKey(key, label)]))
  const [first] = accounts.values()
  return first === undefined ? ofKey(undefined) : { ...first, accounts }
}

/** Returns the options of the client of one API key, where each mode has its own address. */
export function clientOf(
  { options, now }: ProviderContext<{ readonly api_base?: string | undefined }>,
  { secret, isTest }: ApiAccess,
  hosts: { readonly live: string; readonly test: string },
): ApiOptions {
  return { secret, base: baseOf(options, hosts, isTest), now }
}

/** Returns the address of an API without a final slash: the configured one, else that of the mode. */
export function baseOf(
  { api_base: other }: { readonly api_base?: string | undefined },
  hosts: { readonly live: string; readonly test: string },
  isTest: boolean,
): string {
  return (other ?? (isTest ? hosts.test : hosts.live)).replace(/\/$/, '')
}

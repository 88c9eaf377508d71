import { MembershipError } from '../core/errors.ts'
import { bareProvider } from '../providers/bare.ts'
import type { Delivery, ProviderDefinition } from '../providers/contract.ts'
import { signDelivery } from '../providers/signatures.ts'
import { definitions } from './definitions.ts'

/**
 * Builds a delivery as the provider would send it: the payload's bytes and the headers that sign them.
 * `options` are the provider's configuration, if it needs any.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE for options that it does not accept
 */
export function signed(
  provider: string | ProviderDefinition,
  payload: unknown,
  { secret, now = new Date(), options }: { secret: string; now?: Date; options?: unknown },
): Delivery & { headers: Record<string, string> } {
  const definition = typeof provider === 'string' ? definitions.find(({ key }) => key === provider) : provider
  if (!definition) throw new MembershipError('ERR_PROVIDER_UNKNOWN', `No provider "${String(provider)}".`)
  const body = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  return { body, headers: signDelivery(bareProvider(definition, options), body, secret, now) }
}

import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Delivery, ProviderReader, WebhookSecret } from '../../providers/contract.ts'

/** The longest time a provider may take to verify a delivery. */
export const verifyMs = 10_000

/**
 * Returns the label of the secret that signed a delivery.
 * @throws ERR_WEBHOOK_SIGNATURE when none did, ERR_WEBHOOK_UNVERIFIED when it could not be verified
 */
export async function verifyDelivery(
  provider: Pick<ProviderReader, 'key' | 'verify'>,
  delivery: Delivery,
  secrets: readonly WebhookSecret[],
  now: Date,
): Promise<string> {
  try {
    const label = provider.verify(delivery, secrets, now)
    return typeof label === 'string' ? label : await inTime(label)
  } catch (error) {
    if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) throw error
    throw new MembershipError(
      'ERR_WEBHOOK_UNVERIFIED',
      `It could not be found out whether this delivery is of ${provider.key}.`,
      { action: 'Send it again later.', retryAfterSeconds: 30, cause: error },
    )
  }
}

/** The headers that the provider needs to read the delivery, for storage; null without any. */
export function keptHeaders(
  { keeps = [] }: Pick<ProviderReader, 'keeps'>,
  { headers }: Pick<Delivery, 'headers'>,
): Record<string, string | string[]> | null {
  const kept = keeps.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  return kept.length === 0 ? null : Object.fromEntries(kept)
}

async function inTime(label: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`no answer within ${verifyMs / 1000} s`)), verifyMs)
  })
  return Promise.race([label, late]).finally(() => clearTimeout(timer))
}

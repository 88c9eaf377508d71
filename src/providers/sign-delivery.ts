import { MembershipError } from '../core/errors.ts'
import type { Provider } from './contract.ts'

/** Returns the headers of a delivery. @throws ERR_PROVIDER_UNSUPPORTED when a secret is not enough to make
 *  one */
export const signDelivery = (
  provider: Pick<Provider, 'key' | 'sign'>,
  body: Buffer,
  secret: string,
  now: Date,
): Record<string, string> => {
  if (provider.sign) return provider.sign(body, secret, now)
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `Only ${provider.key} itself can make deliveries that verify.`,
    { action: `Let ${provider.key} send a test event from its dashboard.` },
  )
}

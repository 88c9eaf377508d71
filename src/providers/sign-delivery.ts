import { MembershipError } from '../core/errors.ts'
import type { Provider } from './contract.ts'

/** The headers that make a delivery. @throws ERR_PROVIDER_UNSUPPORTED where no secret is enough to make one */
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

import type { Membership } from '../../src/index.ts'
import type { ConfiguredProvider } from '../../src/providers/configured.ts'
import type { Provider } from '../../src/providers/contract.ts'
import { checkReach } from '../../src/site/doctor/reach.ts'

/** What `membership doctor` says of the provider's API key, asking for what that site's database has. */
export async function askedByDoctor(
  { storage }: Pick<Membership, 'storage'>,
  provider: Provider,
  now: Date,
): Promise<string> {
  const providers = new Map([[provider.key, { provider } as ConfiguredProvider]])
  const checks = await checkReach({ providers, storage, now: () => now })
  return checks
    .filter(({ name }) => name === 'api-key')
    .map(({ status, what }) => `${status}: ${what}`)
    .join(' ')
}

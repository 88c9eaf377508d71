import { MembershipError } from '../../core/errors.ts'
import { linkable } from '../../core/url.ts'
import type { ProviderReader } from '../../providers/contract.ts'

/**
 * Checks the address of a provider's page. It must be `linkable`, or a path of this site.
 * @throws ERR_PROVIDER_ANSWER for any other address
 */
export function pageAt({ key }: Pick<ProviderReader, 'key'>, url: string): string {
  if (/^\/(?![\\/])/.test(url) || linkable(url) !== null) return url
  throw new MembershipError(
    'ERR_PROVIDER_ANSWER',
    `The provider "${key}" answered no page that can be opened.`,
    {
      action: 'Try again in a minute. If it stays, its own page may help: POST /membership/portal.',
    },
  )
}

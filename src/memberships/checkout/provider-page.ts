import { MembershipError } from '../../core/errors.ts'
import { isUrl } from '../../core/url.ts'
import type { ProviderReader } from '../../providers/contract.ts'

/**
 * Checks the address of a provider's page. It must be https, a fake server on this machine, or a path of this site.
 * @throws ERR_PROVIDER_ANSWER for any other address
 */
export const pageAt = ({ key }: Pick<ProviderReader, 'key'>, url: string): string => {
  if (/^\/(?![\\/])/.test(url)) return url
  const { protocol, hostname } = isUrl(url) ? new URL(url) : { protocol: '', hostname: '' }
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return url
  throw new MembershipError(
    'ERR_PROVIDER_ANSWER',
    `The provider "${key}" answered no page that can be opened.`,
    {
      action: 'Try again in a minute. If it stays, its own page may help: POST /membership/portal.',
    },
  )
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

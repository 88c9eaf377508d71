import type { Config } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Ground } from './ground.ts'

/** How the site calls itself on the package's pages: as configured, never as a request's Host header says. */
export const siteNameOf = ({ config, options }: Pick<Ground, 'config' | 'options'>): string =>
  config.name ??
  options.mails?.siteName ??
  (config.url === null ? (config.shop.name ?? 'Membership') : new URL(config.url).hostname)

/** Where links lead that are handed over. @throws ERR_CONFIG where the site does not say */
export const publicUrl = ({ url }: Pick<Config, 'url'>): string => {
  if (url !== null) return url
  throw new MembershipError('ERR_CONFIG', 'A link needs the address of the site.', {
    action: 'Set membership.url, such as https://example.com.',
  })
}

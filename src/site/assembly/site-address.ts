import type { Config } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { localUrl } from '../../core/http/forms.ts'

/** Where the links of mails lead. */
export interface SiteAddress {
  /** @throws ERR_CONFIG while it is not known */
  readonly siteUrl: () => string
  readonly noteAddress: (request: Parameters<typeof localUrl>[0]) => void
}

/** The configured address. Where there is none, links lead to where this process listens; a request's Host header never
 *  decides. */
export const createSiteAddress = ({ url: configured }: Pick<Config, 'url'>): SiteAddress => {
  let seen: string | null = null
  return {
    siteUrl: () => {
      const url = configured ?? seen
      if (url !== null) return url
      throw new MembershipError(
        'ERR_CONFIG',
        'The address of the site is not known yet, so no link can be written.',
        { action: 'Set membership.url, such as https://example.com.' },
      )
    },
    noteAddress: (request) => {
      if (configured === null && seen === null && request.socket?.localPort) seen = localUrl(request)
    },
  }
}

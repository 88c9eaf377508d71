import type { Context } from 'koa'
import { isUrl } from '../url.ts'

/**
 * True if the browser reports that a form came from elsewhere than `host`. That is another site, a sub-domain, or a
 * page without an origin (a sandboxed frame, a file). Our own page under `Referrer-Policy: no-referrer` also sends
 * `Origin: null`; Sec-Fetch-Site, which no page can set, tells it apart.
 * https://fetch.spec.whatwg.org/#append-a-request-origin-header https://w3c.github.io/webappsec-fetch-metadata/
 */
export function isForeign(ctx: Context, host: string): boolean {
  const [origin, site] = [ctx.get('Origin'), ctx.get('Sec-Fetch-Site')]
  if (site !== '' && site !== 'same-origin' && site !== 'none') return true
  if (origin === '') return false
  if (origin === 'null') return site !== 'same-origin'
  return !isUrl(origin) || new URL(origin).host !== host
}

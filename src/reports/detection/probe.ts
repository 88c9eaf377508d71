import type { Fingerprint } from './fingerprints.ts'
import { scanPage } from './scan.ts'
import type { FetchedPage, Scan } from './types.ts'

/** Pages that are asked for beyond the website's own, at most. */
const maxPaths = 3

/** Paths that a system's fingerprint asks for beyond the page; only when somebody wants it. */
export const probePaths = ({ rules }: Fingerprint): string[] =>
  [...new Set(rules.flatMap(({ path }) => (path === undefined ? [] : [path])))].slice(0, maxPaths)

/** A scan with the signs of the pages that were asked for beyond it: each is `path channel sign`, such as
 *  `/panel/login asset /media/panel/…`. */
export const withProbes = (
  scan: Scan,
  pages: readonly { readonly path: string; readonly page: FetchedPage }[],
): Scan => {
  const probe = pages.flatMap(({ path, page }) => {
    const { signs } = scanPage(page)
    return (['meta', 'asset', 'dom'] as const).flatMap((channel) =>
      signs[channel].map((sign) => `${path} ${channel} ${sign}`.slice(0, 500)),
    )
  })
  // A page that was asked for and has no sign was asked for all the same.
  return { ...scan, signs: { ...scan.signs, probe: ['', ...probe] } }
}

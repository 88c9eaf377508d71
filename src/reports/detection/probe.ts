import type { Fingerprint } from './fingerprints.ts'
import { scanPage } from './scan.ts'
import type { FetchedPage, Scan } from './types.ts'

/** Most pages requested besides the website's own. */
const maxPaths = 3

/** Returns the paths that a system's fingerprint requests besides the page, if probing was asked for. */
export function probePaths({ rules }: Fingerprint): string[] {
  return [...new Set(rules.flatMap(({ path }) => (path === undefined ? [] : [path])))].slice(0, maxPaths)
}

/**
 * Returns the scan with the signs of the probed pages. Each sign is `path channel sign`, such as
 * `/panel/login asset /media/panel/…`.
 */
export function withProbes(
  scan: Scan,
  pages: readonly { readonly path: string; readonly page: FetchedPage }[],
): Scan {
  const probe = pages.flatMap(({ path, page }) => {
    const { signs } = scanPage(page)
    return (['meta', 'asset', 'dom'] as const).flatMap((channel) =>
      signs[channel].map((sign) => `${path} ${channel} ${sign}`.slice(0, 500)),
    )
  })
  // A probed page without signs still counts as probed.
  return { ...scan, signs: { ...scan.signs, probe: ['', ...probe] } }
}

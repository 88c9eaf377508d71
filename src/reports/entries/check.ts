import {
  type Detection,
  detectAmong,
  type Fingerprint,
  probePaths,
  type Scan,
  scanPage,
  withProbes,
} from '../detection/index.ts'
import {
  type AddressPolicy,
  type SiteAddress,
  toSiteAddress,
  Unreachable,
  type VisitOptions,
  type Visits,
} from '../visit/index.ts'
import type { Finding } from './outcome.ts'

/** Visits a website and says whether it runs the system of the index, and what else its page tells. */
export const createChecks = (deps: {
  visits: Visits
  policy: AddressPolicy
  wanted: Fingerprint
  others: readonly Fingerprint[]
}) => {
  const { visits, policy, wanted, others } = deps

  // The wanted system's own pages, such as its login; one that cannot be read tells nothing.
  const probed = async (scan: Scan, url: string, options: VisitOptions): Promise<Scan> => {
    const pages = []
    for (const path of probePaths(wanted)) {
      try {
        pages.push({
          path,
          page: await visits.visit(toSiteAddress(new URL(path, url).href, policy), options),
        })
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
      }
    }
    return withProbes(scan, pages)
  }

  /** What was found, and which other system it is where it is not the wanted one.
   *  @throws ForbiddenAddress when the name stands for an address that may not be visited */
  const explain = async (
    site: SiteAddress,
    { probe = false, ...options }: VisitOptions & { probe?: boolean } = {},
  ): Promise<{ finding: Finding; other: Detection | null }> => {
    try {
      const page = await visits.visit(site, options)
      const scan = probe ? await probed(scanPage(page), page.url, options) : scanPage(page)
      const among = detectAmong(scan, wanted, others)
      const seen = { page, scan, detection: among.wanted }
      const finding: Finding = among.wanted.detected
        ? { kind: 'listed', ...seen }
        : { kind: 'rejected', ...seen }
      return { finding, other: among.other }
    } catch (error) {
      if (!(error instanceof Unreachable) || error.name === 'ForbiddenAddress') throw error
      const { reason, httpStatus = null, retryAfterSeconds = null, isUnknownName } = error
      return {
        finding: { kind: 'unreachable', reason, httpStatus, retryAfterSeconds, isUnknownName },
        other: null,
      }
    }
  }

  return {
    explain,
    check: async (site: SiteAddress, options: VisitOptions = {}) => (await explain(site, options)).finding,
  }
}
export type Checks = ReturnType<typeof createChecks>

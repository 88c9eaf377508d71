import { createHash } from 'node:crypto'
import { isMembershipError } from '../../core/errors.ts'
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
  overHttp,
  type SiteAddress,
  toSiteAddress,
  Unreachable,
  type VisitedPage,
  type VisitOptions,
  type Visits,
} from '../visit/index.ts'
import type { Failed, Finding, Judged } from './finding.ts'
import type { ReportData } from './record.ts'

export interface Checks {
  /**
   * Finds every sign and, if the wanted system is missing, the other system. `probe` also requests the
   * system's own pages.
   * @throws ForbiddenAddress when the name resolves to an address that may not be visited; ERR_SITE_EXCLUDED
   *   when the website or a redirect's target is excluded
   */
  explain(
    site: SiteAddress,
    options?: Omit<VisitOptions, 'known'> & { probe?: boolean },
  ): Promise<{ finding: Judged | Failed; other: Detection | null }>
  /**
   * Stops as soon as the result is clear. `seen` is the page of the previous check: if page and rules are the
   * same, it is not analysed again.
   * @throws as `explain`
   */
  check(
    site: SiteAddress,
    options?: Omit<VisitOptions, 'known'> & { seen?: ReportData['seen'] },
  ): Promise<Finding>
}

/**
 * Visits a website and decides if it runs the system of the index. It also collects the page's other facts.
 */
export function createChecks(deps: {
  visits: Visits
  policy: AddressPolicy
  wanted: Fingerprint
  others: readonly Fingerprint[]
}): Checks {
  const { visits, policy, wanted, others } = deps
  const rules = rulesOf(wanted)

  // Nobody gave a scheme, so http is tried if https does not answer.
  const visit = async (site: SiteAddress, options: VisitOptions): Promise<VisitedPage> => {
    try {
      return await visits.visit(site, options)
    } catch (error) {
      if (!site.orHttp || !(error instanceof Unreachable && error.isBeforeHttp)) throw error
      return visits.visit(overHttp(site), options).catch((second: unknown) => {
        throw second instanceof Unreachable && second.isBeforeHttp ? error : second
      })
    }
  }

  // Reads the wanted system's own pages, such as its login. A page that cannot be read is skipped.
  const probed = async (scan: Scan, url: string, options: VisitOptions): Promise<Scan> => {
    const pages = []
    for (const path of probePaths(wanted)) {
      try {
        pages.push({
          path,
          page: await visits.visit(toSiteAddress(new URL(path, url).href, policy), options),
        })
      } catch (error) {
        if (!(error instanceof Unreachable) && !isMembershipError(error, 'ERR_SITE_EXCLUDED')) throw error
      }
    }
    return withProbes(scan, pages)
  }

  const judge = (page: VisitedPage, scan: Scan, thorough: boolean) => {
    const among = detectAmong(scan, wanted, others, { thorough })
    const seen = { page, scan, detection: among.wanted, rules }
    const finding: Judged = among.wanted.detected
      ? { kind: 'listed', ...seen }
      : { kind: 'rejected', ...seen, other: among.other }
    return { finding, other: among.other }
  }

  const explain = async (
    site: SiteAddress,
    { probe = false, ...options }: Omit<VisitOptions, 'known'> & { probe?: boolean } = {},
  ): Promise<{ finding: Judged | Failed; other: Detection | null }> => {
    try {
      const page = await visit(site, options)
      const scan = scanPage(page)
      return judge(page, probe ? await probed(scan, page.url, options) : scan, true)
    } catch (error) {
      return { finding: toFailed(error), other: null }
    }
  }

  const check = async (
    site: SiteAddress,
    { seen, ...options }: Omit<VisitOptions, 'known'> & { seen?: ReportData['seen'] } = {},
  ): Promise<Finding> => {
    try {
      const page = await visit(site, { ...options, known: seen?.rules === rules ? seen : undefined })
      return page.isUnchanged ? { kind: 'unchanged', page } : judge(page, scanPage(page), false).finding
    } catch (error) {
      return toFailed(error)
    }
  }

  return { explain, check }
}

function toFailed(error: unknown): Failed {
  if (!(error instanceof Unreachable) || error.name === 'ForbiddenAddress') throw error
  const { reason, httpStatus = null, retryAfterSeconds = null, isUnknownName } = error
  return { kind: 'unreachable', reason, httpStatus, retryAfterSeconds, isUnknownName }
}

function rulesOf({ rules }: Fingerprint): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('base64url').slice(0, 12)
}

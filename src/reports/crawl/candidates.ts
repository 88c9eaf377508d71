import { type Storage, step } from '../../core/storage/index.ts'
import { isUrl } from '../../core/url.ts'
import type { Entry } from '../entries/record.ts'
import { never } from '../hours.ts'
import type { Statements } from '../statements/index.ts'
import { type AddressPolicy, type SiteAddress, toSiteAddress } from '../visit/index.ts'

/** Most links used from one page. */
const maxLinks = 50

export interface Candidates {
  /** Notes the home pages of other websites that a listed one links to. */
  noteLinks(entry: Entry, links: readonly string[]): Promise<void>
  noteSeeds(seeds: readonly string[]): Promise<void>
  /** Stores the outcome, and in how many days the candidate is visited again. */
  done(url_key: string, state: string, inDays: number | null): Promise<void>
  wait(url_key: string, state: string, due_at: string): Promise<void>
}

/** Stores websites that may belong to the index, from the seeds and from links on listed ones. */
export function createCandidates(deps: {
  storage: Storage
  statements: Statements
  policy: AddressPolicy
  now: () => Date
}): Candidates {
  const { storage, statements, policy, now } = deps

  const note = async (sites: readonly SiteAddress[], source: 'seed' | 'link', foundOn: string | null) => {
    const at = now().toISOString()
    const steps = sites.map((site) =>
      step(statements.candidateInsert, {
        url_key: site.key,
        // The scheme is left out if nobody gave one.
        url: site.orHttp ? site.url.replace(/^https:\/\//, '') : site.url,
        host: site.host,
        domain: site.domain,
        source,
        found_on: foundOn,
        state: 'waiting',
        attempts: 0,
        due_at: at,
        created_at: at,
      }),
    )
    if (steps.length > 0) await storage.commit(steps)
  }

  const wait = (url_key: string, state: string, due_at: string): Promise<void> =>
    storage.commit([step(statements.candidateDone, { url_key, state, due_at })])

  return {
    noteLinks: (entry: Entry, links: readonly string[]): Promise<void> => {
      const sites = links.flatMap((link) => homePage(link, policy) ?? [])
      const others = sites.filter(({ domain }) => domain !== entry.row.domain)
      const distinct = [...new Map(others.map((site) => [site.key, site])).values()]
      return note(distinct.slice(0, maxLinks), 'link', entry.row.id)
    },
    noteSeeds: (seeds: readonly string[]): Promise<void> =>
      note(
        seeds.flatMap((seed) => toSite(seed, policy) ?? []),
        'seed',
        null,
      ),
    done: (url_key: string, state: string, inDays: number | null): Promise<void> => {
      const due_at = inDays === null ? never : new Date(now().getTime() + inDays * 86_400_000).toISOString()
      return wait(url_key, state, due_at)
    },
    /** Stores the outcome, and when the candidate is visited again. */
    wait,
  }
}

function homePage(link: string, policy: AddressPolicy): SiteAddress | null {
  return isUrl(link) ? toSite(new URL('/', link).href, policy) : null
}

function toSite(address: string, policy: AddressPolicy): SiteAddress | null {
  try {
    return toSiteAddress(address, policy)
  } catch {
    return null
  }
}

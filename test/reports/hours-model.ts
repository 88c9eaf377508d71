/**
 * Who may see what at which hour, after the rule alone: own writes show at once, everybody else's by the next
 * full hour. Knows nothing of rows, versions or caches.
 */
export function createModel(partners: readonly string[]) {
  interface Site {
    owner: string | null
    /** What its owner saw when it last changed anything itself. */
    base: string
    /** What the crawler found since, with the hours in which it did. */
    found: { hour: number; title: string; wasDue: boolean }[]
  }
  const sites = new Map<string, Site>()
  // Counts what makes everything new to a partner; and whether the clock went back since.
  const views = new Map(partners.map((name) => [name, { number: 0, hasGoneBack: false }]))
  let hour = 0

  const newest = ({ base, found }: Site): string => found.at(-1)?.title ?? base
  const renew = (...names: (string | null)[]): void => {
    for (const name of new Set(names)) {
      const view = name === null ? undefined : views.get(name)
      if (!view) continue
      view.number++
      view.hasGoneBack = false
      for (const site of sites.values())
        if (site.owner === name) Object.assign(site, { base: newest(site), found: [] })
    }
  }
  const mayShow = (site: Site, hasGoneBack: boolean): readonly string[] => {
    const due = site.found.filter((item) => item.hour < hour)
    if (!hasGoneBack || due.length === site.found.length) return [due.at(-1)?.title ?? site.base]
    // An hour that comes a second time: anything that was due before, nothing newer.
    return [site.base, ...site.found.filter(({ wasDue }) => wasDue).map(({ title }) => title)]
  }

  return {
    ownerOf: (key: string): string | null | undefined => sites.get(key)?.owner,
    add: (key: string, owner: string, title: string): void => {
      sites.set(key, { owner, base: title, found: [] })
      renew(owner)
    },
    refresh: (key: string, title: string): void => {
      const site = sites.get(key)!
      Object.assign(site, { base: title, found: [] })
      renew(site.owner)
    },
    remove: (key: string): void => {
      const { owner } = sites.get(key)!
      sites.delete(key)
      renew(owner)
    },
    link: (key: string, to: string): void => {
      const site = sites.get(key)!
      const from = site.owner
      if (from === to) return
      site.owner = to
      renew(from, to)
    },
    crawl: (key: string, title: string): void =>
      void sites.get(key)!.found.push({ hour, title, wasDue: false }),
    clock: (now: number): void => {
      if (now < hour) for (const view of views.values()) view.hasGoneBack = true
      hour = now
      for (const { found } of sites.values()) for (const item of found) item.wasDue ||= item.hour < now
    },
    /** The titles that each website of a partner may have now. */
    view: (partner: string): Map<string, readonly string[]> => {
      const { hasGoneBack } = views.get(partner)!
      const own = [...sites].filter(([, site]) => site.owner === partner)
      return new Map(own.map(([key, site]) => [key, mayShow(site, hasGoneBack)]))
    },
    /** Names the state that a partner looks at; null where only bytes can tell, after the clock went back. */
    state: (partner: string): string | null => {
      const { number, hasGoneBack } = views.get(partner)!
      return hasGoneBack ? null : `${number} ${hour}`
    },
  }
}
export type Model = ReturnType<typeof createModel>

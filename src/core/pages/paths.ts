/** The paths of the pages that others lead to. */
export interface PagePaths {
  readonly home: string
  readonly account: string
  readonly prices: string
}

/** The package's own pages; they step aside where the site has its own. */
export const ownPaths = { account: '/membership/account', prices: '/membership/prices' } as const

/** The configured pages, the package's where nothing is configured, with what the head of every page links to. */
export const pagesOf = (pages: Partial<Readonly<Record<keyof PagePaths, string | null>>> = {}) => {
  const paths: PagePaths = {
    home: pages.home ?? '/',
    account: pages.account ?? ownPaths.account,
    prices: pages.prices ?? ownPaths.prices,
  }
  return { ...paths, links: linksTo(paths) }
}

const linksTo = ({ prices, account }: PagePaths) => [
  { says: 'page.prices', url: prices },
  { says: 'page.account', url: account },
]

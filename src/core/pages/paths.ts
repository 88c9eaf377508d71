/** The paths of the pages that other pages link to. */
export interface PagePaths {
  readonly home: string
  readonly account: string
  readonly prices: string
}

/** The package's own pages. A site's own pages replace them. */
export const ownPaths = { account: '/membership/account', prices: '/membership/prices' } as const

/** The configured pages, else the package's, with the links in every page's header. */
export function pagesOf(pages: Partial<Readonly<Record<keyof PagePaths, string | null>>> = {}, base = '') {
  const paths: PagePaths = {
    home: pages.home ?? `${base}/`,
    account: pages.account ?? ownPaths.account,
    prices: pages.prices ?? ownPaths.prices,
  }
  return { ...paths, links: linksTo(paths) }
}

function linksTo({ prices, account }: PagePaths) {
  return [
    { says: 'page.prices', url: prices },
    { says: 'page.account', url: account },
  ]
}

import type { Context } from 'koa'
import { toCsv } from '../core/dto/csv.ts'
import { type ReportsApi, reportStatuses, type WebsiteFilter } from '../reports/index.ts'
import { confirmedDeeds } from './confirmed.ts'
import type { Doing } from './done-once.ts'
import { sendCsv } from './downloads.ts'
import type { Pages } from './pages.ts'
import { partnerDeeds } from './partner-deeds.ts'
import { relinkRoutes } from './relink-routes.ts'
import { type OfficeRoutes, office } from './routes.ts'
import { lately, websiteIndexDeeds } from './website-index-deeds.ts'

/** The part of the index by which it is shown and changed. */
export type WebsiteIndex = Pick<
  ReportsApi,
  'partners' | 'keys' | 'operator' | 'audit' | 'crawl' | 'websites' | 'imports'
>

const pageSize = 60
const mostRows = 10_000
const hours = 24

/** The website index: how it stands, and its websites; there are no such addresses where there is no index. */
export const websiteIndexRoutes = (
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    index: WebsiteIndex
    doing: Doing
    randomId: () => string
    now: () => Date
  },
): void => {
  const { index } = deps
  relinkRoutes(routes, deps)
  for (const [name, plan] of [...websiteIndexDeeds(index), ...partnerDeeds(index, deps.now)])
    confirmedDeeds(routes, deps)(`/index/do/${name}`, `${office}/index`, plan)

  indexPage(routes, deps)
  websitePages(routes, deps)
}

interface Shown {
  readonly pages: Pages
  readonly index: WebsiteIndex
}

const indexPage = ({ page }: OfficeRoutes, { pages, index }: Shown): void =>
  page('/index', async ({ ctx, who }) => {
    const [state, partners, keys, exclusions, imports, relinks, crawled] = await Promise.all([
      index.crawl.status(),
      index.partners.list(),
      index.keys.list(),
      index.operator.exclusions(),
      index.imports(),
      index.operator.batches(lately),
      index.crawl.history(hours),
    ])
    const nameOf = (id: string | null): string =>
      partners.find((partner) => partner.id === id)?.name ?? id ?? ''
    pages.show(ctx, who, 'index', {
      ...{ state, partners, keys, exclusions, relinks, crawled, nameOf },
      imports: imports.slice(0, lately),
    })
  })

const websitePages = ({ page }: OfficeRoutes, { pages, index }: Shown): void => {
  page('/index/websites', async ({ ctx, who }) => {
    const filter = filterOf(ctx)
    const [found, partners] = await Promise.all([
      index.websites({ ...filter, limit: pageSize }),
      index.partners.list(),
    ])
    pages.show(ctx, who, 'index-websites', {
      ...{ filter, partners, statuses: reportStatuses, rows: found.data },
      next: found.cursor === null ? null : linkOf('', { ...filter, cursor: found.cursor }),
      csv: linkOf('.csv', filter),
    })
  })

  page('/index/websites.csv', async ({ ctx }) => {
    const filter = filterOf(ctx)
    const rows: (string | null)[][] = [['id', 'url', 'title', 'status', 'reason', 'partner', 'added']]
    for (
      let cursor: string | null | undefined = filter.cursor;
      cursor !== null && rows.length <= mostRows;
    ) {
      const found = await index.websites({
        ...filter,
        ...(cursor === undefined ? {} : { cursor }),
        limit: 1000,
      })
      for (const w of found.data)
        rows.push([w.id, w.url, w.title, w.status, w.status_reason, w.partner_id, w.created_at])
      cursor = found.cursor
    }
    sendCsv(ctx, 'websites.csv', toCsv(rows))
  })
}

const filterOf = (ctx: Context): WebsiteFilter =>
  Object.fromEntries(
    (['q', 'status', 'partner', 'cursor'] as const).flatMap((name) => {
      const given = ctx.query[name]
      return typeof given === 'string' && given !== '' ? [[name, given.slice(0, 500)]] : []
    }),
  )

const linkOf = (ending: string, filter: WebsiteFilter): string =>
  `${office}/index/websites${ending}?${new URLSearchParams(filter as Record<string, string>)}`

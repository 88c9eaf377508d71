import type { Context } from 'koa'
import { type CsvColumns, toCsv } from '../core/dto/csv.ts'
import { type ReportsApi, reportStatuses, type Website, type WebsiteFilter } from '../reports/index.ts'
import { confirmedActions, type Doing, doneActions } from './confirming.ts'
import { sendCsv } from './downloads.ts'
import type { Pages } from './pages.ts'
import { linkedOf, listCharacters, partnerActions, relinkAction } from './partner-actions.ts'
import { type OfficeRoutes, office } from './routes.ts'
import { lately, websiteIndexActions } from './website-index-actions.ts'

const shownLines = 500

/** Links a list of websites to a partner: typed, checked line by line, then run. */
export function relinkRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    index: Pick<ReportsApi, 'partners' | 'keys' | 'operator'>
    doing: Doing
    randomId: () => string
  },
): void {
  const { pages, index } = deps
  const { partners, operator } = index

  routes.page(
    '/index/relink',
    async ({ ctx, who }) =>
      pages.show(ctx, who, 'index-relink', { partners: await partners.list(), listCharacters }),
    'operator',
  )

  /** The preview writes nothing. */
  routes.action('/index/relink', async ({ ctx, who, form }) => {
    const list = form.text('list', listCharacters) ?? ''
    const result = await operator.relink(list, form.text('partner') ?? '')
    pages.show(ctx, who, 'index-relinking', {
      list,
      partner: result.partner,
      counts: result.counts,
      lines: result.lines.slice(0, shownLines),
      rest: Math.max(0, result.lines.length - shownLines),
      linked: linkedOf(result),
      key: deps.randomId(),
    })
    return null
  })

  doneActions(routes, deps)('/index/do/relink', `${office}/index`, relinkAction(index))
}

/** The parts of the index that the office shows and changes. */
export type WebsiteIndex = Pick<
  ReportsApi,
  'partners' | 'keys' | 'operator' | 'audit' | 'crawl' | 'websites' | 'imports'
>

const pageSize = 60
const mostRows = 10_000
const hours = 24

/** The website index's state and websites. Without an index these addresses do not exist. */
export function websiteIndexRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    index: WebsiteIndex
    doing: Doing
    randomId: () => string
    now: () => Date
  },
): void {
  const { index } = deps
  relinkRoutes(routes, deps)
  for (const [name, plan] of [...websiteIndexActions(index), ...partnerActions(index, deps.now)])
    confirmedActions(routes, deps)(`/index/do/${name}`, `${office}/index`, plan)

  indexPage(routes, deps)
  websitePages(routes, deps)
}

interface Shown {
  readonly pages: Pages
  readonly index: WebsiteIndex
}

function indexPage({ page }: OfficeRoutes, { pages, index }: Shown): void {
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
      state,
      partners,
      keys,
      exclusions,
      relinks,
      crawled,
      nameOf,
      imports: imports.slice(0, lately),
    })
  })
}

function websitePages({ page }: OfficeRoutes, { pages, index }: Shown): void {
  page('/index/websites', async ({ ctx, who }) => {
    const filter = filterOf(ctx)
    const [found, partners] = await Promise.all([
      index.websites({ ...filter, limit: pageSize }),
      index.partners.list(),
    ])
    pages.show(ctx, who, 'index-websites', {
      filter,
      partners,
      statuses: reportStatuses,
      rows: found.data,
      next: found.cursor === null ? null : linkOf('', { ...filter, cursor: found.cursor }),
      csv: linkOf('.csv', filter),
    })
  })

  page('/index/websites.csv', async ({ ctx }) => {
    const filter = filterOf(ctx)
    const rows: Website[] = []
    for (let cursor: string | null | undefined = filter.cursor; cursor !== null && rows.length < mostRows; ) {
      const found = await index.websites({
        ...filter,
        ...(cursor === undefined ? {} : { cursor }),
        limit: 1000,
      })
      rows.push(...found.data)
      cursor = found.cursor
    }
    sendCsv(ctx, 'websites.csv', toCsv(websiteColumns, rows))
  })
}

const websiteColumns: CsvColumns<Website> = [
  ['id', ({ id }) => id],
  ['url', ({ url }) => url],
  ['title', ({ title }) => title],
  ['status', ({ status }) => status],
  ['reason', ({ status_reason }) => status_reason],
  ['partner', ({ partner_id }) => partner_id],
  ['added', ({ created_at }) => created_at],
]

function filterOf(ctx: Context): WebsiteFilter {
  return Object.fromEntries(
    (['q', 'status', 'partner', 'cursor'] as const).flatMap((name) => {
      const given = ctx.query[name]
      return typeof given === 'string' && given !== '' ? [[name, given.slice(0, 500)]] : []
    }),
  )
}

function linkOf(ending: string, filter: WebsiteFilter): string {
  return `${office}/index/websites${ending}?${new URLSearchParams(filter as Record<string, string>)}`
}

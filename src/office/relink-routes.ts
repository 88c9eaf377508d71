import type { ReportsApi } from '../reports/index.ts'
import { doneDeeds } from './confirmed.ts'
import type { Doing } from './done-once.ts'
import type { Pages } from './pages.ts'
import { linkedOf, listCharacters, relinkDeed } from './partner-deeds.ts'
import { type OfficeRoutes, office } from './routes.ts'

const shownLines = 500

/** A list of websites that becomes a partner's: typed, looked at line by line, and then done. */
export const relinkRoutes = (
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    index: Pick<ReportsApi, 'partners' | 'keys' | 'operator'>
    doing: Doing
    randomId: () => string
  },
): void => {
  const { pages, index } = deps
  const { partners, operator } = index

  routes.page(
    '/index/relink',
    async ({ ctx, who }) =>
      pages.show(ctx, who, 'index-relink', { partners: await partners.list(), listCharacters }),
    'operator',
  )

  /** Nothing is written by looking. */
  routes.deed('/index/relink', async ({ ctx, who, form }) => {
    const list = form.text('list', listCharacters) ?? ''
    const result = await operator.relink(list, form.text('partner') ?? '')
    pages.show(ctx, who, 'index-relinking', {
      ...{ list, partner: result.partner, counts: result.counts },
      lines: result.lines.slice(0, shownLines),
      rest: Math.max(0, result.lines.length - shownLines),
      linked: linkedOf(result),
      key: deps.randomId(),
    })
    return null
  })

  doneDeeds(routes, deps)('/index/do/relink', `${office}/index`, relinkDeed(index))
}

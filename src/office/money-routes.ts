import type { Context } from 'koa'
import { toCsv } from '../core/dto/csv.ts'
import type { Plan } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Storage } from '../core/storage/index.ts'
import { sendCsv } from './downloads.ts'
import type { Figures, FiguresDeps } from './figures.ts'
import type { KeptFigures } from './kept-figures.ts'
import { monthOf } from './measures.ts'
import { type ListKind, type ListQuery, listCounted, listKinds } from './money-list.ts'
import { churnOf, cohortRows, kinds, monthRows, recurringOf } from './money-page.ts'
import type { Needs } from './needs.ts'
import type { Pages } from './pages.ts'
import { differencesOf } from './plan-differences.ts'
import { linesOf, plotsOf, recurringByPlan, stayingOf } from './plots.ts'
import { type OfficeRoutes, office, type Visit } from './routes.ts'

export interface MoneyRoutesDeps {
  readonly pages: Pages
  readonly storage: Pick<Storage, 'read'>
  readonly figures: KeptFigures
  readonly inIso: FiguresDeps['inIso']
  readonly needs: Needs
  readonly plans: () => readonly Plan[]
  readonly now: () => Date
}

const shownRows = 200

/** The pages for today, money, a figure's list, and plans. */
export const moneyRoutes = ({ page }: OfficeRoutes, deps: MoneyRoutesDeps): void => {
  const { pages, figures } = deps
  const counted: CountedPage = (path, handle) =>
    page(path, async (visit) => {
      const known = await figures()
      if (known !== null) return handle(visit, known)
      visit.ctx.set('Refresh', '5')
      pages.show(visit.ctx, visit.who, 'counting')
    })
  figurePages(counted, deps)
  listPages(page, deps)
  plansPage(counted, deps)
}

/** A page with figures. During the first long count it shows a waiting page that reloads by itself. */
type CountedPage = (path: string, handle: (visit: Visit, figures: Figures) => Promise<void> | void) => void

const figurePages = (counted: CountedPage, deps: MoneyRoutesDeps): void => {
  const { pages, plans, now } = deps

  counted('', async ({ ctx, who }, counted) => {
    const members = counted.members.at(-1) ?? 0
    pages.show(ctx, who, 'today', {
      figures: counted,
      people: members,
      more: members - counted.membersBefore,
      recurring: recurringOf(counted),
      listLink: linksOf(null, monthOf(now().toISOString())),
      line: linesOf([{ of: 'people', values: counted.members }]),
      needs: await deps.needs(counted),
    })
  })

  counted('/money', ({ ctx, who }, counted) => {
    const plan = planOf(ctx)
    const [rows, cohorts] = [monthRows(counted, plan), cohortRows(counted, plan)]
    pages.show(ctx, who, 'money', {
      figures: counted,
      plan,
      planNames: namesOf(plans()),
      kinds,
      rows,
      plots: plotsOf(rows),
      byPlan: plan === null ? recurringByPlan(counted.recurring) : [],
      recurring: recurringOf(counted, plan),
      churn: churnOf(counted, plan),
      cohorts,
      staying: stayingOf(cohorts),
      plans: plans(),
      listLink: linksOf(plan, monthOf(now().toISOString())),
    })
  })
}

/** Pages that list the items of a figure. */
const listPages = (page: OfficeRoutes['page'], deps: MoneyRoutesDeps): void => {
  const { pages, storage, plans, inIso, now } = deps
  const counting = () => ({ storage, plans: plans(), now: now(), inIso })

  page('/money/list', async ({ ctx, who }) => {
    const query = queryOf(ctx)
    const rows = await listCounted(counting(), query, shownRows + 1)
    pages.show(ctx, who, 'money-list', {
      wish: query,
      rows: rows.slice(0, shownRows),
      isMore: rows.length > shownRows,
      plans: plans(),
      planNames: namesOf(plans()),
      csv: listLink(query, '.csv'),
    })
  })

  page('/money/list.csv', async ({ ctx }) => {
    const query = queryOf(ctx)
    const rows = await listCounted(counting(), query)
    const head = ['at', 'id', 'provider', 'member', 'email', 'price', 'amount (minor units)', 'currency']
    const lines = rows.map((r) => [
      r.at,
      r.id,
      r.provider,
      r.memberId,
      r.email,
      r.price,
      // A yearly price divided by twelve is no whole number of minor units.
      r.amount === null ? null : Math.round(r.amount),
      r.currency,
    ])
    sendCsv(ctx, `${query.kind}-${query.month}.csv`, toCsv([head, ...lines]))
  })
}

const plansPage = (counted: CountedPage, { pages, storage, plans, inIso, now }: MoneyRoutesDeps): void =>
  counted('/plans', async ({ ctx, who }, counted) => {
    pages.show(ctx, who, 'plans', {
      figures: counted,
      plans: plans(),
      inIso,
      differs: await differencesOf(storage, plans()),
      listLink: linksOf(null, monthOf(now().toISOString())),
    })
  })

const namesOf = (plans: readonly Plan[]) =>
  [...new Map(plans.map(({ id, name }) => [id, name]))].map(([id, name]) => ({ id, name }))

const planOf = (ctx: Context): string | null =>
  typeof ctx.query.plan === 'string' && ctx.query.plan !== '' ? ctx.query.plan.slice(0, 200) : null

/** @throws ERR_PARAMETER */
const queryOf = (ctx: Context): ListQuery => {
  const { kind, month, until, currency, at, after, price, each } = ctx.query
  if (!(listKinds as readonly unknown[]).includes(kind))
    throw new MembershipError('ERR_PARAMETER', `kind is one of ${listKinds.join(', ')}.`)
  return {
    kind: kind as ListKind,
    month: typeof month === 'string' ? month : '',
    until: textOf(until),
    plan: planOf(ctx),
    currency: textOf(currency),
    at: textOf(at),
    after: textOf(after) === null ? null : Number(after),
    price: textOf(price),
    each: textOf(each) === null ? null : Number(each),
  }
}

const textOf = (given: unknown): string | null =>
  typeof given === 'string' && given !== '' ? given.slice(0, 200) : null

/** Builds links from a page's figures to their lists. */
const linksOf =
  (plan: string | null, thisMonth: string) =>
  (kind: ListKind, month: string | null = null, more: Partial<ListQuery> = {}): string =>
    listLink({ ...{ kind, month: month ?? thisMonth, plan, currency: null }, ...more })

const listLink = ({ kind, month, ...rest }: ListQuery, ending = ''): string =>
  `${office}/money/list${ending}?${new URLSearchParams({
    kind,
    month,
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [[name, String(value)]],
      ),
    ),
  })}`

import type { Context } from 'koa'
import type { ShopOf } from '../core/access/index.ts'
import { type CsvCell, type CsvColumns, toCsv } from '../core/dto/csv.ts'
import { currencyDigits, type Plan, titleOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Storage } from '../core/storage/index.ts'
import type { PriceDifference } from '../memberships/catalogue/index.ts'
import { sendCsv } from './downloads.ts'
import type { Figures, FiguresDeps } from './figures.ts'
import type { KeptFigures } from './kept-figures.ts'
import { allReasons, reasonColumns, reasonRows } from './leaving-reasons.ts'
import { monthOf, monthsUntil } from './measures.ts'
import { type CountedRow, type ListKind, type ListQuery, listCounted, listKinds } from './money-list.ts'
import { churnOf, cohortRows, kinds, monthRows, recoveredRows, recurringOf } from './money-page.ts'
import type { Needs } from './needs.ts'
import type { Pages } from './pages.ts'
import { linesOf, plotsOf, recurringByPlan, recurringPlotsOf, stayingOf } from './plots.ts'
import { nothingRecent, type Recent, type RecentItem } from './recent.ts'
import { countRecurring } from './recurring-count.ts'
import { mostMonths, movements, recurringColumns } from './recurring-months.ts'
import { type OfficeRoutes, office, type Visit } from './routes.ts'
import { ownersOfRows } from './walking-statements.ts'

export interface MoneyRoutesDeps {
  readonly pages: Pages
  readonly storage: Pick<Storage, 'read'>
  readonly figures: KeptFigures
  readonly inIso: FiguresDeps['inIso']
  readonly shopOf: ShopOf
  readonly needs: Needs
  /** The providers of app stores, with the meaning of their amounts. */
  readonly storeAmounts: readonly { readonly provider: string; readonly amounts: 'gross' | 'net' }[]
  readonly plans: () => readonly Plan[]
  /** The configured prices whose terms differ from those of their providers. */
  readonly differences: () => readonly PriceDifference[]
  readonly now: () => Date
}

const shownRows = 200

/** The pages for today, money, a figure's list, and plans. */
export function moneyRoutes({ page }: OfficeRoutes, deps: MoneyRoutesDeps): void {
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
  recurringFile(page, deps)
  reasonsFile(page, deps)
  plansPage(counted, deps)
}

/** A page with figures. During the first long count it shows a waiting page that reloads by itself. */
type CountedPage = (path: string, handle: (visit: Visit, figures: Figures) => Promise<void> | void) => void

function figurePages(counted: CountedPage, deps: MoneyRoutesDeps): void {
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
      recent: await withPeople(deps.storage, counted.recent ?? nothingRecent),
      plans: plans(),
    })
  })

  counted('/money', async ({ ctx, who }, counted) => {
    const plan = planOf(ctx)
    const [rows, cohorts] = [monthRows(counted, plan), cohortRows(counted, plan)]
    pages.show(ctx, who, 'money', {
      figures: counted,
      plan,
      planNames: namesOf(plans()),
      kinds,
      rows,
      plots: plotsOf(rows),
      recurringPlots: plan === null ? recurringPlotsOf(counted.recurringMonths ?? []) : [],
      movements,
      byPlan: plan === null ? recurringByPlan(counted.recurring) : [],
      recurring: recurringOf(counted, plan),
      churn: churnOf(counted, plan),
      cohorts,
      staying: stayingOf(cohorts),
      recovered: recoveredRows(rows),
      reasons: await reasonRows(deps.storage, { plan, now: now() }),
      plans: plans(),
      storeAmounts: deps.storeAmounts,
      listLink: linksOf(plan, monthOf(now().toISOString())),
    })
  })
}

/** Pages that list the items of a figure. */
function listPages(page: OfficeRoutes['page'], deps: MoneyRoutesDeps): void {
  const { pages, storage, plans, inIso, now } = deps
  const counting = () => ({ storage, plans: plans(), now: now(), inIso, shopOf: deps.shopOf })

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
    sendCsv(ctx, `${query.kind}-${query.month}.csv`, toCsv(countedColumns(plans(), inIso), rows))
  })
}

/** The columns of a figure's list. */
function countedColumns(
  plans: ReturnType<MoneyRoutesDeps['plans']>,
  inIso: MoneyRoutesDeps['inIso'],
): CsvColumns<CountedRow> {
  return [
    ['Date', ({ at }) => at.slice(0, 10)],
    ['Invoice', ({ invoice }) => invoice],
    ['Item', ({ price }) => titleOf(price, plans)],
    ['Name', ({ name }) => name],
    ['E-mail', ({ email }) => email],
    ['Amount', (row) => majorOf(row, inIso)],
    ['Currency', ({ currency }) => currency],
    ['Provider', ({ provider }) => provider],
    ['Payment or subscription', ({ id }) => id],
    ['Member', ({ memberId }) => memberId],
  ]
}

/** MRR by month as a file. It counts anew, so that it can go further back than the page. */
function recurringFile(
  page: OfficeRoutes['page'],
  { storage, plans, inIso, now, shopOf }: MoneyRoutesDeps,
): void {
  page('/money/mrr.csv', async ({ ctx }) => {
    const months = monthsUntil(now(), monthsBack(ctx.query.months) - 1)
    const rows = await countRecurring({ storage, plans, inIso, now, shopOf }, months)
    sendCsv(ctx, `mrr-${months[0]}-${months.at(-1)}.csv`, toCsv(recurringColumns, rows))
  })
}

/** Why members cancelled, by month and plan. */
function reasonsFile(page: OfficeRoutes['page'], { storage }: MoneyRoutesDeps): void {
  page('/money/reasons.csv', async ({ ctx }) =>
    sendCsv(ctx, 'reasons.csv', toCsv(reasonColumns, await allReasons(storage))),
  )
}

/** @throws ERR_PARAMETER */
function monthsBack(given: unknown): number {
  const months = given === undefined ? 13 : Number(given)
  if (Number.isInteger(months) && months >= 1 && months <= mostMonths) return months
  throw new MembershipError('ERR_PARAMETER', `months is a number from 1 to ${mostMonths}.`)
}

function plansPage(counted: CountedPage, { pages, differences, plans, inIso, now }: MoneyRoutesDeps): void {
  counted('/plans', async ({ ctx, who }, counted) => {
    pages.show(ctx, who, 'plans', {
      figures: counted,
      plans: plans(),
      inIso,
      differs: differences(),
      listLink: linksOf(null, monthOf(now().toISOString())),
    })
  })
}

/** Adds the members of the rows that Today lists. */
async function withPeople(storage: Pick<Storage, 'read'>, recent: Recent) {
  const owners = await ownersOfRows(storage, Object.values(recent).flat())
  const named = (rows: readonly RecentItem[]) =>
    rows.map((row) => {
      const known = owners.get(`${row.provider}\u0000${row.account}\u0000${row.owner}`)
      return { ...row, memberId: known?.member_id ?? null, email: known?.email ?? null }
    })
  return {
    payments: named(recent.payments),
    signUps: named(recent.signUps),
    cancellations: named(recent.cancellations),
    overdue: named(recent.overdue),
  }
}

function namesOf(plans: readonly Plan[]) {
  return [...new Map(plans.map(({ id, name }) => [id, name]))].map(([id, name]) => ({ id, name }))
}

function planOf(ctx: Context): string | null {
  return typeof ctx.query.plan === 'string' && ctx.query.plan !== '' ? ctx.query.plan.slice(0, 200) : null
}

/** @throws ERR_PARAMETER */
function queryOf(ctx: Context): ListQuery {
  const { kind, month, until, currency, at, after, price, each, by } = ctx.query
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
    by: by === 'member' || by === 'retry' ? by : null,
  }
}

/** An amount as accountants write it: "12.50". A yearly price divided by twelve is rounded. */
function majorOf(
  { amount, currency, provider }: Pick<CountedRow, 'amount' | 'currency' | 'provider'>,
  inIso: FiguresDeps['inIso'],
): CsvCell {
  if (amount === null || currency === null) return null
  const digits = currencyDigits(currency)
  return { decimal: (inIso({ amount, currency, provider }) / 10 ** digits).toFixed(digits) }
}

function textOf(given: unknown): string | null {
  return typeof given === 'string' && given !== '' ? given.slice(0, 200) : null
}

/** Builds links from a page's figures to their lists. */
function linksOf(plan: string | null, thisMonth: string) {
  return (kind: ListKind, month: string | null = null, more: Partial<ListQuery> = {}): string =>
    listLink({ kind, month: month ?? thisMonth, plan, currency: null, ...more })
}

function listLink({ kind, month, ...rest }: ListQuery, ending = ''): string {
  return `${office}/money/list${ending}?${new URLSearchParams({
    kind,
    month,
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [[name, String(value)]],
      ),
    ),
  })}`
}

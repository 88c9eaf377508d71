import type { Context } from 'koa'
import { featuresOf } from '../core/access/index.ts'
import { type CsvColumns, toCsv } from '../core/dto/csv.ts'
import { formatDay, type Plan, titleOf, type WriteMoney } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { paramOf } from '../core/http/form-router.ts'
import { closedIn, type PageWords } from '../core/words/index.ts'
import type { ExportOf } from '../memberships/account/index.ts'
import type { AuditLog } from '../memberships/audit-log/index.ts'
import type { Doing } from './confirming.ts'
import { sendCsv } from './downloads.ts'
import type { MemberPage } from './member-page.ts'
import {
  type ListedRow,
  type MembersList,
  type MembersQuery,
  type MembersView,
  views,
} from './members-list.ts'
import type { Insider } from './office-access.ts'
import type { Pages } from './pages.ts'
import type { FormField, PlanAction, Planned } from './planned-action.ts'
import { type OfficeRoutes, office } from './routes.ts'

export interface MembersRoutesDeps {
  readonly pages: Pages
  readonly list: MembersList
  readonly member: MemberPage
  readonly actions: ReadonlyMap<string, PlanAction>
  readonly doing: Doing
  readonly auditLog: Pick<AuditLog, 'during'>
  readonly exportOf: ExportOf
  readonly plans: () => readonly Plan[]
  readonly money: WriteMoney
  readonly pageWords: Pick<PageWords, 'voiceFor'>
  readonly now: () => Date
  readonly randomId: () => string
}

const pageSize = 50

/** The members' pages: the list, its export, one member, and actions. */
export function membersRoutes(routes: OfficeRoutes, deps: MembersRoutesDeps): void {
  listPages(routes, deps)
  memberPages(routes, deps)
  actionPages(routes, deps)
}

function listPages({ page }: OfficeRoutes, { pages, list, plans }: MembersRoutesDeps): void {
  page('/members', async ({ ctx, who }) => {
    const query = queryOf(ctx)
    const [found, counted] = await Promise.all([
      list.page(query),
      query.view === null || query.q !== '' ? null : list.count(query.view),
    ])
    pages.show(ctx, who, 'members', {
      ...query,
      views,
      counted,
      ...found,
      plans: plans(),
      link: (next: string | null) => linkOf('/members', query, next),
      csv: linkOf('/members.csv', query, null),
    })
  })

  page('/members.csv', async ({ ctx }) => {
    const rows: ListedRow[] = []
    let query: MembersQuery = { ...queryOf(ctx), limit: 500 }
    for (;;) {
      const found = await list.page(query)
      rows.push(...found.rows)
      if (found.next === null) break
      query = { ...query, after: found.next }
    }
    sendCsv(ctx, 'members.csv', toCsv(memberColumns(plans()), rows))
  })
}

/** The columns of members.csv. A member without a subscription has empty cells. */
function memberColumns(plans: readonly Plan[]): CsvColumns<ListedRow> {
  return [
    ['id', ({ id }) => id],
    ['email', ({ email }) => email],
    ['name', ({ name }) => name],
    ['since', ({ created_at }) => created_at],
    ['plan', ({ subscription: s }) => s && titleOf(s.price_id, plans)],
    ['status', ({ subscription: s }) => s?.status ?? null],
    ['until', ({ until }) => until],
    ['provider', ({ subscription: s }) => s?.provider ?? null],
    ['subscription', ({ subscription: s }) => s?.id ?? null],
  ]
}

function memberPages({ page }: OfficeRoutes, deps: MembersRoutesDeps): void {
  const { pages, member, plans, money } = deps

  page('/members/:id', async ({ ctx, who }) => {
    const { locale, language } = pages.wordsOf(ctx, who)
    const data = await member.read(paramOf(ctx, 'id'), (p, amount) =>
      p.currency === null ? '' : money({ amount, currency: p.currency, provider: p.provider }, locale),
    )
    const voice = deps.pageWords.voiceFor([language])
    const gates = data.gates.map((gate) => ({
      ...gate,
      closed: gate.closed && closedIn(voice, gate.closed, deps.now()),
    }))
    pages.show(ctx, who, 'member', {
      ...data,
      gates,
      plans: plans(),
      features: featuresOf(plans()),
      done: textOf(ctx.query.done),
    })
  })

  /** Exports everything stored about a member. The data leaves the site, so the log records it. */
  page(
    '/members/:id/export',
    async ({ ctx, who }) => {
      const user = await member.get(paramOf(ctx, 'id'))
      const noted = { by: who.name, action: 'export' as const, memberId: user.id }
      const exported = await deps.auditLog.during(noted, () => deps.exportOf(user))
      ctx.set('Content-Disposition', `attachment; filename="account.json"`)
      ctx.body = JSON.stringify(exported, null, 2)
      ctx.type = 'json'
    },
    'operator',
  )
}

/** Pages for actions on a member, with a preview and a single run. */
function actionPages({ page, action }: OfficeRoutes, deps: MembersRoutesDeps): void {
  const { pages, member, actions, doing, money, now } = deps

  const planned = async ({
    ctx,
    who,
    field,
    isConfirmed,
  }: {
    ctx: Context
    who: Insider
    field: FormField
    isConfirmed: boolean
  }): Promise<{ planned: Planned; name: string }> => {
    const name = paramOf(ctx, 'action')
    const plan = actions.get(name)
    if (plan === undefined) throw new MembershipError('ERR_NOT_FOUND', 'Nothing like that can be done here.')
    const { locale } = pages.wordsOf(ctx, who)
    const user = await member.get(paramOf(ctx, 'id'))
    const visit = {
      user,
      field,
      by: who.name,
      isConfirmed,
      day: (at: string) => formatDay(at, now(), locale),
      money: (amount: number, currency: string, provider: string) =>
        money({ amount, currency, provider }, locale),
    }
    return { planned: await plan(visit), name }
  }

  /** Previews an action, with the form that runs it. */
  page(
    '/members/:id/do/:action',
    async ({ ctx, who }) => {
      const field: FormField = (name) => textOf(ctx.query[name])
      const thought = await planned({ ctx, who, field, isConfirmed: false })
      const user = await member.get(paramOf(ctx, 'id'))
      pages.show(ctx, who, 'confirm', { ...thought, user, key: deps.randomId() })
    },
    'operator',
  )

  action('/members/:id/do/:action', async ({ ctx, who, form }) => {
    const field: FormField = (name) => form.text(name, 2000)
    const { planned: item, name } = await planned({ ctx, who, field, isConfirmed: true })
    const outcome = await doing(item, { key: form.text('key'), by: who.name })
    const back = `${office}/members/${encodeURIComponent(paramOf(ctx, 'id'))}`
    if (outcome.is === 'done' && outcome.left !== null) {
      const shown = { key: `do.${name}.partly`, fill: { why: outcome.left } }
      pages.show(ctx, who, 'done', { name, shown, back, isPart: true })
      return null
    }
    if (outcome.is === 'done') {
      const shown = item.shown?.(outcome.result) ?? null
      if (shown === null) return `${back}?done=${name}`
      pages.show(ctx, who, 'done', { name, shown, back })
      return null
    }
    pages.show(ctx, who, 'done', { name, shown: { key: `done.again_${outcome.was}` }, back })
    return null
  })
}

function textOf(given: unknown): string | null {
  return typeof given === 'string' && given.trim() !== '' ? given.trim().slice(0, 2000) : null
}

function queryOf(ctx: Context): MembersQuery {
  const view = textOf(ctx.query.view)
  return {
    q: (textOf(ctx.query.q) ?? '').slice(0, 200),
    view: (views as readonly string[]).includes(view ?? '') ? (view as MembersView) : null,
    after: textOf(ctx.query.after) ?? '',
    limit: pageSize,
  }
}

function linkOf(path: string, { q, view }: MembersQuery, after: string | null): string {
  const query = new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(view === null ? {} : { view }),
    ...(after === null ? {} : { after }),
  }).toString()
  return `${office}${path}${query === '' ? '' : `?${query}`}`
}

import { type Money, type Plan, titleOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { paramOf } from '../core/http/form-router.ts'
import type { Storage } from '../core/storage/index.ts'
import type { AuditLog, AuditRecord } from '../memberships/audit-log/index.ts'
import type { Health } from '../memberships/monitoring/index.ts'
import { type CheckLine, checklistOf } from './checklist.ts'
import { arrivals } from './deliveries-statements.ts'
import { findingStatements } from './finding-statements.ts'
import type { OfficePage } from './own-pages.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Dependencies of the log pages. */
export interface LogRoutesDeps {
  readonly pages: Pages
  readonly auditLog: Pick<AuditLog, 'page'>
  readonly health: () => Promise<Health>
  /** Runs the doctor's checks. */
  readonly check: () => Promise<readonly CheckLine[]>
  readonly ownPages: readonly OfficePage[]
  readonly storage: Pick<Storage, 'read' | 'dialect'>
  readonly plans: () => readonly Plan[]
}

const pageSize = 100

interface DetailWords {
  readonly money: (money: Money) => string
  readonly day: (at: string) => string
}

/** The audit log, the site's health, and the site's own pages. */
export function logRoutes({ page }: OfficeRoutes, deps: LogRoutesDeps): void {
  const { pages, auditLog } = deps
  const find = findingStatements(deps.storage)

  /** The names of the members that these records are about. */
  const namesOf = async (records: readonly AuditRecord[]): Promise<ReadonlyMap<string, string>> => {
    const ids = [...new Set(records.flatMap(({ member_id }) => member_id ?? []))]
    return new Map((await find.byIds(ids)).map(({ id, name, email }) => [id, name ?? email ?? id]))
  }

  const titles = () =>
    new Map(deps.plans().flatMap(({ prices }) => prices.map(({ id }) => [id, true] as const)))
  /** The values of a record before or after it, with amounts as money, prices and days as people read them. */
  const detailsOf = (value: unknown, { money, day }: DetailWords): string => {
    if (typeof value !== 'object' || value === null) return value === null ? '' : String(value)
    const fields = value as Readonly<Record<string, unknown>>
    const currency = typeof fields.currency === 'string' ? fields.currency : null
    const known = titles()
    return Object.entries(fields)
      .filter(([name, item]) => item !== null && item !== '' && name !== 'currency' && name !== 'grant')
      .map(([name, item]) => {
        const label = name.replaceAll('_', ' ')
        if (currency !== null && typeof item === 'number' && name.startsWith('amount'))
          return `${label} ${money({ amount: item, currency })}`
        if (typeof item === 'string' && known.has(item)) return `${label} ${titleOf(item, deps.plans())}`
        if (typeof item === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(item)) return `${label} ${day(item)}`
        return `${label} ${typeof item === 'object' ? JSON.stringify(item) : String(item)}`
      })
      .join(', ')
  }

  page('/log', async ({ ctx, who }) => {
    const member =
      typeof ctx.query.member === 'string' && ctx.query.member !== '' ? ctx.query.member : undefined
    const before = typeof ctx.query.before === 'string' ? ctx.query.before : undefined
    const { records: shown, next } = await auditLog.page({ member, before, limit: pageSize })
    const query = { ...(member === undefined ? {} : { member }), before: next ?? '' }
    const names = await namesOf(shown)
    pages.show(ctx, who, 'log', {
      records: shown,
      nameOf: (id: string) => names.get(id) ?? id,
      detailsOf,
      member: member ?? null,
      next: next === null ? null : `${office}/log?${new URLSearchParams(query)}`,
    })
  })

  page('/check', async ({ ctx, who }) => {
    // The doctor calls every provider, so it runs only on request.
    const isAsked = ctx.query.look === '1'
    const [health, checks, arrived] = await Promise.all([
      deps.health(),
      isAsked ? deps.check() : null,
      arrivals(deps.storage),
    ])
    // Nobody watches a provider that lives in the site, such as the sandbox, but its deliveries arrive all the same.
    const latest = new Map(
      arrived.map(({ provider, account, received_at: at }) => [`${provider} ${account}`.trim(), at] as const),
    )
    for (const { provider, account } of health.endpoints) latest.delete(`${provider} ${account}`.trim())
    pages.show(ctx, who, 'check', {
      unwatched: [...latest],
      health,
      list: checks === null ? null : checklistOf(checks),
    })
  })

  page('/own/:page', async ({ ctx, who }) => {
    const found = deps.ownPages.find(({ path }) => path === paramOf(ctx, 'page'))
    if (found === undefined)
      throw new MembershipError('ERR_NOT_FOUND', 'There is no such page in this office.')
    pages.show(ctx, who, 'own', { title: found.title, content: await found.render({ ctx, who }) })
  })
}

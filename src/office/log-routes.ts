import { MembershipError } from '../core/errors.ts'
import { paramOf } from '../core/http/form-router.ts'
import type { AuditLog } from '../memberships/audit-log/index.ts'
import type { Health } from '../memberships/monitoring/health.ts'
import { type CheckLine, checklistOf } from './checklist.ts'
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
}

const pageSize = 100

/** The audit log, the site's health, and the site's own pages. */
export const logRoutes = ({ page }: OfficeRoutes, deps: LogRoutesDeps): void => {
  const { pages, auditLog } = deps

  page('/log', async ({ ctx, who }) => {
    const member =
      typeof ctx.query.member === 'string' && ctx.query.member !== '' ? ctx.query.member : undefined
    const before = typeof ctx.query.before === 'string' ? ctx.query.before : undefined
    const { records: shown, next } = await auditLog.page({ member, before, limit: pageSize })
    const query = { ...(member === undefined ? {} : { member }), before: next ?? '' }
    pages.show(ctx, who, 'log', {
      records: shown,
      member: member ?? null,
      next: next === null ? null : `${office}/log?${new URLSearchParams(query)}`,
    })
  })

  page('/check', async ({ ctx, who }) => {
    // The doctor calls every provider, so it runs only on request.
    const isAsked = ctx.query.look === '1'
    const [health, checks] = await Promise.all([deps.health(), isAsked ? deps.check() : null])
    pages.show(ctx, who, 'check', { health, list: checks === null ? null : checklistOf(checks) })
  })

  page('/own/:page', async ({ ctx, who }) => {
    const found = deps.ownPages.find(({ path }) => path === paramOf(ctx, 'page'))
    if (found === undefined)
      throw new MembershipError('ERR_NOT_FOUND', 'There is no such page in this office.')
    pages.show(ctx, who, 'own', { title: found.title, content: await found.render({ ctx, who }) })
  })
}

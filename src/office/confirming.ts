import type { Context } from 'koa'
import { isMembershipError, MembershipError } from '../core/errors.ts'
import { UnitConflict } from '../core/storage/index.ts'
import { type AuditLog, actionBegins } from '../memberships/audit-log/index.ts'
import type { Insider } from './office-access.ts'
import type { Role } from './operators.ts'
import type { Pages } from './pages.ts'
import type { Planned } from './planned-action.ts'
import type { OfficeRoutes } from './routes.ts'

/** The outcome of a confirmed action. */
export type Outcome =
  | {
      readonly is: 'done'
      readonly result: unknown
      /** Why the second step failed; null where it succeeded, or there is none. */
      readonly left: string | null
    }
  /** An action with the same key was done, is running, or failed before. */
  | { readonly is: 'repeated'; readonly was: 'begun' | 'done' | 'failed'; readonly error: string | null }

export type Doing = (planned: Planned, more: { key: string | null; by: string }) => Promise<Outcome>

/**
 * Runs a planned action once per key, each step between two records in the audit log. A repeated request skips a step
 * that was done, and runs one that never began.
 */
export function createDoing(auditLog: Pick<AuditLog, 'during' | 'find'>): Doing {
  const once = async (planned: Planned, { key, by }: { key: string; by: string }): Promise<Outcome> => {
    const { action, memberId, subject, before } = planned
    try {
      const entry = { by, action, memberId, subject, before, key }
      const result = await auditLog.during(entry, () => planned.run(key), planned.after?.bind(planned))
      return { is: 'done', result, left: null }
    } catch (error) {
      const isSecond = error instanceof UnitConflict && error.step === actionBegins
      const known = isSecond ? await auditLog.find(key) : null
      if (known === null) throw error
      return { is: 'repeated', was: known.outcome, error: known.error }
    }
  }

  return async (planned: Planned, { key, by }: { key: string | null; by: string }): Promise<Outcome> => {
    if (key === null || !/^[\w-]{16,64}$/.test(key))
      throw new MembershipError('ERR_FORM', 'This form is not whole.', { action: 'Load the page again.' })
    const first = await once(planned, { key, by })
    const isDone = first.is === 'done' || first.was === 'done'
    if (!planned.next || !isDone) return first
    const result = first.is === 'done' ? first.result : null
    try {
      const second = await once(planned.next, { key: `${key}-next`, by })
      if (second.is === 'done') return { is: 'done', result, left: null }
      return second.was === 'failed' ? { is: 'done', result, left: second.error } : first
    } catch (error) {
      if (!isMembershipError(error)) throw error
      return { is: 'done', result, left: error.message }
    }
  }
}

/** Reads a field of a form, or of a page's address. */
export type TextOf = (name: string, max?: number) => string | null

/** Plans an action from its form. */
export type Plan = (visit: { ctx: Context; text: TextOf; who: Insider }) => Promise<Planned> | Planned

/** Tools that run and show actions. */
export interface ActionTools {
  readonly pages: Pages
  readonly doing: Doing
}

/** Adds a page that previews an action, with a form that runs it once, for actions on anything but a member. */
export function confirmedActions(
  routes: OfficeRoutes,
  deps: ActionTools & { randomId: () => string },
  role: Role = 'operator',
) {
  return (path: string, back: string, plan: Plan): void => {
    const { pages } = deps
    routes.page(
      path,
      async ({ ctx, who }) => {
        const planned = await plan({ ctx, who, text: (name) => queryText(ctx, name) })
        const shown = { planned, name: planned.action, user: null, back, key: deps.randomId() }
        pages.show(ctx, who, 'confirm', shown)
      },
      role,
    )
    doneActions(routes, deps, role)(path, back, plan)
  }
}

/** Adds the route that runs such a form's action, where a separate page shows the preview. */
export function doneActions(
  { action }: OfficeRoutes,
  { pages, doing }: ActionTools,
  role: Role = 'operator',
) {
  return (path: string, back: string, plan: Plan): void => {
    action(
      path,
      async ({ ctx, who, form }) => {
        const planned = await plan({ ctx, who, text: (name, max) => form.text(name, max) })
        const outcome = await doing(planned, { key: form.text('key'), by: who.name })
        const shown =
          outcome.is === 'done' ? planned.shown?.(outcome.result) : { key: `done.again_${outcome.was}` }
        pages.show(ctx, who, 'done', { name: planned.action, shown, back })
        return null
      },
      role,
    )
  }
}

/** A field of a page's address, cut at 200 characters; null without one. */
export function queryText(ctx: Context, name: string): string | null {
  const given = ctx.query[name]
  return typeof given === 'string' && given !== '' ? given.slice(0, 200) : null
}

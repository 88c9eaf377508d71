import type { Context } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { createFormRouter, type FormRequest, type FormTools } from '../core/http/form-router.ts'
import { wantsJson } from '../core/http/forms.ts'
import { access, loginRequired } from '../core/http/route-access.ts'
import { type Arrival, type Insider, type OfficeAccess, requireRole } from './office-access.ts'
import type { Role } from './operators.ts'
import type { Pages } from './pages.ts'

/** The path of the office. */
export const office = '/membership/office'

/** The input of a route of the office. */
export interface Visit {
  readonly ctx: Context
  readonly who: Insider
}

/** Routes that only people inside the office can reach. Others are led to the login. */
export function createOfficeRoutes(deps: FormTools & { officeAccess: OfficeAccess; pages: Pages }) {
  const { officeAccess: entrance, pages, limit } = deps
  const router = createFormRouter(deps)

  /**
   * Returns the person inside; null where the visitor was redirected.
   * @throws ERR_LOGIN_REQUIRED, ERR_OFFICE
   */
  const insider = async (ctx: Context, role: Role): Promise<Insider | null> => {
    const arrival = await entrance.arrival(ctx)
    if (arrival.at === 'inside') {
      requireRole(arrival.who, role)
      return arrival.who
    }
    const way = wantsJson(ctx) || ctx.method !== 'GET' ? null : wayOf(arrival, ctx)
    if (way === null) throw refusalOf(arrival)
    ctx.redirect(way)
    return null
  }

  /** Adds a page. */
  const page = (path: string, handle: (visit: Visit) => Promise<void>, role: Role = 'viewer'): void =>
    router.get(
      `${office}${path}`,
      access[role],
      async (ctx) => {
        let who: Insider | null = null
        try {
          who = await insider(ctx, role)
          if (who !== null) await handle({ ctx, who })
        } catch (error) {
          pages.fail(ctx, who, error)
        }
      },
      limit,
    )

  /** Adds an action. The handler returns the next page, or null where the answer is already written. */
  const action = (
    path: string,
    handle: (visit: Visit & { readonly form: FormRequest }) => Promise<string | null>,
    role: Role = 'operator',
  ): void =>
    router.post(`${office}${path}`, access[role], async (form) => {
      const { ctx } = form
      let who: Insider | null = null
      try {
        who = await insider(ctx, role)
        if (who === null) throw loginRequired()
        return { json: { status: 'done' }, redirect: await handle({ ctx, who, form }) }
      } catch (error) {
        pages.fail(ctx, who, error)
        return { status: ctx.status, json: null, redirect: null }
      }
    })

  return { page, action, router }
}
export type OfficeRoutes = ReturnType<typeof createOfficeRoutes>

function wayOf({ at }: Arrival, ctx: Context): string | null {
  if (at === 'outside') return `/membership/login?${new URLSearchParams({ redirect: ctx.url })}`
  if (at === 'enrolment' || at === 'door')
    return `${office}/enter?${new URLSearchParams({ redirect: ctx.url })}`
  return null
}

function refusalOf({ at }: Arrival): MembershipError {
  if (at === 'outside') return loginRequired()
  if (at === 'stranger')
    return new MembershipError('ERR_OFFICE', 'This account is neither an operator’s nor a viewer’s.', {
      action: 'Ask the operator to let you in: membership operators add ADDRESS --role operator',
    })
  return new MembershipError('ERR_OFFICE', 'The office asks for a second factor first.', {
    action: `Open ${office} in a browser and show it.`,
  })
}

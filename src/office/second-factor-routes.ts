import type { Context } from 'koa'
import type { FormRequest } from '../core/http/form-router.ts'
import { localPath } from '../core/http/forms.ts'
import { access, loginRequired } from '../core/http/route-access.ts'
import type { Arrival, OfficeAccess } from './office-access.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'
import type { SecondFactor } from './second-factor.ts'

/** Routes to enrol, to enter the second factor, and to leave. */
export function secondFactorRoutes(
  { router }: Pick<OfficeRoutes, 'router'>,
  deps: {
    officeAccess: OfficeAccess
    pages: Pages
    factor: SecondFactor
    limit: Parameters<OfficeRoutes['router']['get']>[3]
  },
): void {
  const { officeAccess: entrance, pages, factor, limit } = deps

  router.get(
    `${office}/enter`,
    access.entering,
    async (ctx) => {
      const arrival = await entrance.arrival(ctx)
      const redirect = localPath(ctx.query.redirect, office)
      if (arrival.at === 'inside') ctx.redirect(redirect)
      else if (arrival.at === 'outside')
        ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.url })}`)
      else if (arrival.at === 'enrolment')
        pages.show(ctx, null, 'enrol', { redirect, email: arrival.email, ...factor.offer(arrival.email) })
      else if (arrival.at === 'door') pages.show(ctx, null, 'door', { redirect, email: arrival.email })
      else pages.fail(ctx, null, loginRequired())
    },
    limit,
  )

  const action = (path: string, at: 'enrolment' | 'door', handle: Handle): void =>
    router.post(`${office}${path}`, access.entering, async (form) => {
      const { ctx } = form
      try {
        const arrival = await entrance.arrival(ctx)
        if (arrival.at !== at) throw loginRequired()
        return { json: { status: 'done' }, redirect: await handle(form, arrival as AtSecondFactor, ctx) }
      } catch (error) {
        pages.fail(ctx, null, error)
        return { status: ctx.status, json: null, redirect: null }
      }
    })

  action('/enter', 'door', async (form, arrival) => {
    await factor.pass(arrival.email, form.text('code', 40) ?? '')
    await entrance.open(arrival)
    return localPath(form.fields.redirect, office)
  })

  action('/enrol', 'enrolment', async (form, arrival, ctx) => {
    const redirect = localPath(form.fields.redirect, office)
    const given = { sealed: form.text('sealed', 1000) ?? '', code: form.text('code', 40) ?? '' }
    const codes = await factor.enrol(arrival.email, given)
    await entrance.open(arrival)
    pages.show(ctx, null, 'codes', { codes, redirect })
    return null
  })

  router.post(`${office}/leave`, access.entering, async ({ ctx }) => {
    await entrance.leave(ctx)
    return { json: { status: 'left' }, redirect: '/' }
  })
}

type AtSecondFactor = Extract<Arrival, { at: 'door' | 'enrolment' }>
type Handle = (form: FormRequest, arrival: AtSecondFactor, ctx: Context) => Promise<string | null>

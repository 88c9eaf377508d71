import type { Context } from 'koa'
import type { Doing } from './done-once.ts'
import type { Insider } from './entrance.ts'
import type { Planned } from './member-deeds.ts'
import type { Pages } from './pages.ts'
import type { OfficeRoutes } from './routes.ts'

/** A field of a form, or of a page's address. */
export type TextOf = (name: string, max?: number) => string | null

/** Thinks a deed through, from what its form says. */
export type Plan = (visit: { ctx: Context; text: TextOf; who: Insider }) => Promise<Planned> | Planned

/** Tools with which actions are done and shown. */
export interface DeedTools {
  readonly pages: Pages
  readonly doing: Doing
}

/** A page that says what would happen, and the form on it that does it, once: for deeds to anything but a member. */
export const confirmedDeeds =
  (routes: OfficeRoutes, deps: DeedTools & { randomId: () => string }) =>
  (path: string, back: string, plan: Plan): void => {
    const { pages } = deps
    routes.page(
      path,
      async ({ ctx, who }) => {
        const planned = await plan({ ctx, who, text: (name) => queryText(ctx, name) })
        const shown = { planned, name: planned.action, user: null, back, key: deps.randomId() }
        pages.show(ctx, who, 'confirm', shown)
      },
      'operator',
    )
    doneDeeds(routes, deps)(path, back, plan)
  }

/** Does the action of such a form, where a page of its own says what would happen. */
export const doneDeeds =
  ({ deed }: OfficeRoutes, { pages, doing }: DeedTools) =>
  (path: string, back: string, plan: Plan): void => {
    deed(path, async ({ ctx, who, form }) => {
      const planned = await plan({ ctx, who, text: (name, max) => form.text(name, max) })
      const outcome = await doing(planned, { key: form.text('key'), by: who.name })
      const shown =
        outcome.is === 'done' ? planned.shown?.(outcome.result) : { key: `done.again_${outcome.was}` }
      pages.show(ctx, who, 'done', { name: planned.action, shown, back })
      return null
    })
  }

/** A field of a page's address, cut at 200 characters; null where it is not there. */
export const queryText = (ctx: Context, name: string): string | null => {
  const given = ctx.query[name]
  return typeof given === 'string' && given !== '' ? given.slice(0, 200) : null
}

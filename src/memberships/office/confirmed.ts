import type { Context } from 'koa'
import type { Doing } from './done-once.ts'
import type { Insider } from './entrance.ts'
import type { Planned } from './member-deeds.ts'
import type { Pages } from './pages.ts'
import type { OfficeRoutes } from './routes.ts'

/** A field of a form, or of a page's address. */
export type TextOf = (name: string) => string | null

/** Thinks a deed through, from what its form says. */
export type Plan = (visit: { ctx: Context; text: TextOf; who: Insider }) => Promise<Planned> | Planned

/** A page that says what would happen, and the form on it that does it, once: for deeds to anything but a member. */
export const confirmedDeeds =
  ({ page, deed }: OfficeRoutes, deps: { pages: Pages; doing: Doing; randomId: () => string }) =>
  (path: string, back: string, plan: Plan): void => {
    const { pages, doing } = deps
    page(
      path,
      async ({ ctx, who }) => {
        const planned = await plan({ ctx, who, text: (name) => queryText(ctx, name) })
        const shown = { planned, name: planned.action, user: null, back, key: deps.randomId() }
        pages.show(ctx, who, 'confirm', shown)
      },
      'operator',
    )
    deed(path, async ({ ctx, who, form }) => {
      const planned = await plan({ ctx, who, text: (name) => form.text(name) })
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

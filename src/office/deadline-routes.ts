import type { Deadlines, Declarations } from '../memberships/shop/index.ts'
import { notThere } from './action-subjects.ts'
import { confirmedActions, type Doing, type Plan } from './confirming.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/**
 * Disputes and declarations that need an answer by a day, oldest first, with an action that marks a declaration as
 * done. A dispute leaves the list when its provider reports a decision.
 */
export function deadlineRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    doing: Doing
    randomId: () => string
    deadlines: Pick<Deadlines, 'list'>
    declarations: Pick<Declarations, 'find' | 'settle'>
    now: () => Date
  },
): void {
  const { pages, deadlines, declarations, now } = deps

  routes.page('/deadlines', async ({ ctx, who }) => {
    const today = now().toISOString().slice(0, 10)
    const rows = (await deadlines.list()).map((deadline) => ({
      ...deadline,
      isLate: deadline.due_on !== null && deadline.due_on < today,
    }))
    pages.show(ctx, who, 'deadlines', { rows })
  })

  const settle: Plan = async ({ text, who }) => {
    const id = text('declaration')
    const declaration = id === null ? null : await declarations.find(id)
    if (declaration === null) throw notThere('declaration', id)
    const { kind, name, contract, member_id: memberId, status } = declaration
    return {
      action: 'declaration-settle',
      memberId,
      subject: declaration.id,
      before: { status },
      fields: { declaration: declaration.id },
      says: [{ key: `do.declaration-settle.${kind}`, fill: { name, contract } }],
      run: () => declarations.settle(declaration.id, who.name),
      after: () => ({ status: 'done' }),
      shown: () => ({ key: 'do.declaration-settle.shown' }),
    }
  }
  confirmedActions(routes, deps)('/deadlines/settle', `${office}/deadlines`, settle)
}

import { createDocuments, type Storage } from '../core/storage/index.ts'
import type { Leftovers } from '../memberships/import/index.ts'
import { notThere } from './action-subjects.ts'
import { confirmedActions, type Doing, type Plan } from './confirming.ts'
import { type FindLeftOver, importSpace } from './leftovers.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Routes for the leftovers of imports and switches, with what to do about them, and an action that settles one. */
export function leftoverRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    doing: Doing
    randomId: () => string
    storage: Storage
    leftovers: Leftovers
    leftOver: FindLeftOver
  },
): void {
  const { pages, storage, leftovers, leftOver } = deps

  routes.page('/leftovers', async ({ ctx, who }) =>
    pages.show(ctx, who, 'leftovers', { ...(await leftOver()) }),
  )

  /** Removes an entry from the list. The imported data stay unchanged. */
  const settle: Plan = async ({ text }) => {
    const { begun, imports } = await leftOver()
    const [id, place] = [text('import'), text('begun')]
    const stopped = begun.find((item) => place !== null && item.place.trim() === place.trim())
    if (stopped !== undefined)
      return {
        ...settling(stopped.name, { begun: stopped.place }),
        says: [{ key: 'do.import-settle.begun', fill: { name: stopped.name } }],
        run: () => createDocuments(storage, `${importSpace}${stopped.place}`).clear(),
      }
    const found = imports.find((knownImport) => knownImport.id === id)
    if (found === undefined) throw notThere('import', id ?? place)
    return {
      ...settling(found.id, { import: found.id }),
      before: { left: found.count },
      says: [{ key: 'do.import-settle.says', fill: { name: found.name, count: found.count } }],
      run: () => leftovers.settle(found.id),
    }
  }
  confirmedActions(routes, deps)('/leftovers/settle', `${office}/leftovers`, settle)
}

function settling(subject: string, fields: Readonly<Record<string, string>>) {
  return {
    action: 'import-settle' as const,
    memberId: null,
    subject,
    fields,
    shown: () => ({ key: 'do.import-settle.shown' }),
  }
}

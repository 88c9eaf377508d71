import type { PageAnswer, PageAsked } from './server.ts'
import type { World } from './world.ts'

/** The pages that buyers see. */
export const createPages =
  (_world: World, _catchUp: () => void) =>
  async (_asked: PageAsked): Promise<PageAnswer | null> =>
    null

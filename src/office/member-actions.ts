import { accessDeeds } from './access-deeds.ts'
import { accountDeeds } from './account-deeds.ts'
import type { DeedRooms, PlanDeed } from './member-deeds.ts'
import { purchaseDeeds } from './purchase-deeds.ts'

/** Everything that can be done to a member here, by the last part of its address. */
export const memberActions = (rooms: DeedRooms): ReadonlyMap<string, PlanDeed> =>
  new Map(Object.entries({ ...accessDeeds(rooms), ...purchaseDeeds(rooms), ...accountDeeds(rooms) }))

import type { Membership } from './instance.ts'
import type { Rooms } from './rooms.ts'

/** What operators' own code asks and does: their office and the command line stand on the same. */
export const operatorApi = (
  rooms: Rooms,
): Pick<
  Membership,
  | 'users'
  | 'audit'
  | 'declarations'
  | 'outbox'
  | 'compare'
  | 'import'
  | 'health'
  | 'switchProvider'
  | 'payments'
  | 'catalogue'
  | 'reports'
  | 'afterRestore'
  | 'deletedSince'
> => {
  const { declarations, outbox, catalogue } = rooms
  return {
    // A merged account's id leads to the account that was kept.
    users: { ...rooms.users, findById: rooms.users.findStanding, ...rooms.mergingForCode },
    audit: rooms.deeds,
    declarations: { list: declarations.list, settle: declarations.settle },
    outbox: { list: outbox.list, replay: outbox.replay },
    compare: rooms.compare,
    import: rooms.importing,
    health: rooms.health,
    switchProvider: rooms.switchProvider,
    payments: rooms.unassigned,
    catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale },
    reports: rooms.reports.api,
    ...rooms.restoring,
  }
}

import type { Storage } from '../../core/storage/index.ts'
import { createDeletionDoor, createInvalidation } from '../../memberships/account/index.ts'
import { createIntentDoor } from '../../memberships/checkout/index.ts'
import { createNotificationDoor } from '../../memberships/hooks/index.ts'
import type { Neighbours } from '../../memberships/ledger/index.ts'
import { createAccountDoor, type Invalidation } from '../../memberships/members/index.ts'
import { createEventDoor } from '../../memberships/webhooks/index.ts'

/** The doors of modules above the ledger, which it asks in its own unit. */
export function neighboursOn(storage: Storage): Neighbours {
  return {
    accounts: createAccountDoor(storage),
    deletions: createDeletionDoor(storage),
    intents: createIntentDoor(storage),
    events: createEventDoor(storage),
    notifications: createNotificationDoor(storage),
  }
}

/** Voids a member's open requests, in whichever module they are. */
export function invalidationOn(storage: Storage): Invalidation {
  return createInvalidation(storage, createIntentDoor(storage))
}

import * as baseline from './0001-baseline.ts'
import * as gifts from './0002-gifts.ts'
import * as limits from './0003-limits.ts'
import * as groups from './0004-groups.ts'
import * as walls from './0005-walls.ts'
import * as pauses from './0006-pauses.ts'
import * as figures from './0007-figures.ts'
import * as figuresOfOldRows from './0008-figures-of-old-rows.ts'
import * as pauseMoments from './0009-pause-moments.ts'
import * as loginIds from './0010-login-ids.ts'
import * as groupReminders from './0011-group-reminders.ts'
import * as downloads from './0012-downloads.ts'
import * as raises from './0013-raises.ts'
import * as factStates from './0014-fact-states.ts'
import * as failedRefunds from './0015-failed-refunds.ts'
import * as otherSubscriptions from './0016-other-subscriptions.ts'
import * as mergedCounts from './0017-merged-counts.ts'
import * as heldGifts from './0018-held-gifts.ts'
import * as raiseRequests from './0019-raise-requests.ts'
import * as california from './0020-california.ts'
import * as accessUpgrade from './0021-access-upgrade.ts'
import * as soldTerms from './0022-sold-terms.ts'
import * as otherPeople from './0023-other-people.ts'
import * as readInOrder from './0024-read-in-order.ts'
import * as leavingReasons from './0025-leaving-reasons.ts'
import * as sharedItems from './0026-shared-items.ts'
import * as payPages from './0027-pay-pages.ts'
import type { Migration } from './migration.ts'

export type { Migration, Rewriting, SchemaBuilder } from './migration.ts'

/**
 * In order. A migration's number is its position, from 1. A released migration never changes; further ones follow it.
 */
export const migrations: readonly Migration[] = [
  baseline,
  gifts,
  limits,
  groups,
  walls,
  pauses,
  figures,
  figuresOfOldRows,
  pauseMoments,
  loginIds,
  groupReminders,
  downloads,
  raises,
  factStates,
  failedRefunds,
  otherSubscriptions,
  mergedCounts,
  heldGifts,
  raiseRequests,
  california,
  accessUpgrade,
  soldTerms,
  otherPeople,
  readInOrder,
  leavingReasons,
  sharedItems,
  payPages,
]

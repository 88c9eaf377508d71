import type { Step, Storage } from '../../core/storage/index.ts'
import { createCurrent, unchecked } from '../members/index.ts'
import { type Intent, intentStatements } from './statements.ts'

/** Builds the steps that store a checkout, or an action on a subscription. Its member was not merged meanwhile. */
export function createBeginning(storage: Storage) {
  const { insert } = intentStatements(storage)
  const current = createCurrent(storage)
  return (intent: Intent): readonly Step[] =>
    intent.member_id === null
      ? [unchecked(insert, intent, 'nobody is logged in', 1)]
      : current.unlessMerged(intent.member_id, (write) => [write(insert, intent, 1)])
}

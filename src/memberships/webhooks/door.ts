import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type EventsOfObject, inboxStatements } from './statements.ts'

/** Makes steps about received events, for the units of other modules. */
export function createEventDoor(storage: Storage) {
  const statements = inboxStatements(storage)
  return {
    /** Drops the body of an event that is about another shop alone. */
    dropBody: (event: { provider: string; account: string; event_id: string }): Step =>
      step(statements.forgetBody, event),
    /** Drops the bodies of the events about an object of another shop that arrived since a moment. */
    dropBodiesOf: (object: EventsOfObject): Step => step(statements.forgetBodiesOf, object),
  }
}

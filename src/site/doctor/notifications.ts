import { type Check, counted, found } from './check.ts'
import { doctorQueries, type Readable } from './statements.ts'

/** Checks for changes that could not be notified, and for messages that were given up. */
export const checkNotifications = async (storage: Readable): Promise<Check[]> => {
  const [unnotified, givenUp] = await Promise.all([
    doctorQueries.unnotified(storage),
    doctorQueries.givenUp(storage),
  ])
  return [
    ...(unnotified[0] === undefined
      ? []
      : [
          found(
            'problem',
            'members-untold',
            `Hooks and mails fail for ${counted(unnotified.length, 'member')}: ${unnotified[0].owner_id}, ${unnotified[0].error}.`,
            'Mend what the reason says; it is tried again by itself, an hour later at most.',
          ),
        ]),
    ...(givenUp[0] === undefined
      ? []
      : [
          found(
            'problem',
            'messages-given-up',
            `${counted(givenUp.length, 'message')} gave up; the oldest: ${givenUp[0].kind}, ${givenUp[0].error}.`,
            `See them: membership outbox list --dead. When the cause is mended: membership outbox replay ${givenUp[0].seq}`,
          ),
        ]),
  ]
}

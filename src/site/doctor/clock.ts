import { clockSkewMs } from '../../core/jobs/clocks.ts'
import { databaseClock } from '../../memberships/monitoring/statements.ts'
import { type Check, found, ok } from './check.ts'
import { duration } from './events.ts'
import type { Readable } from './statements.ts'

/** Compares this machine's clock with that of a shared database. Processes respect each other's claims
 *  only while their clocks are close. */
export const checkClock = async (storage: Readable, now: () => Date): Promise<Check[]> => {
  const theirs = await databaseClock(storage)
  if (theirs === null) return []
  const ahead = theirs - now().getTime()
  if (Math.abs(ahead) <= clockSkewMs)
    return [ok('database-clock', 'The clock of this server agrees with the database.')]
  return [
    found(
      'problem',
      'database-clock',
      `The clock of this server is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'behind' : 'ahead of'} that of the database: servers that share it may do the same work at the same time.`,
      'Let a time service set the clock of every server (chrony, systemd-timesyncd).',
    ),
  ]
}

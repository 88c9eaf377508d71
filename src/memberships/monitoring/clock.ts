import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import { databaseClock } from './statements.ts'
import type { Trouble } from './troubles.ts'

export interface ClockWatch {
  runDue(): Promise<void>
  trouble(): Trouble | null
}

/**
 * Compares this server's clock with the database's. Servers that share a database and differ by more than two minutes
 * may do the same work at once, so that a hook runs twice. The problem belongs to one process: it appears in that
 * process's health and log, and is not stored for the others.
 */
export function createClockWatch({
  storage,
  now,
  log,
}: {
  storage: Pick<Storage, 'read' | 'dialect'>
  now: () => Date
  log: Log
}): ClockWatch {
  let trouble: Trouble | null = null

  return {
    runDue: async (): Promise<void> => {
      const theirs = await databaseClock(storage)
      const offBy = theirs === null ? 0 : Math.round((now().getTime() - theirs) / 1000)
      if (Math.abs(offBy) * 1000 <= clockSkewMs) {
        if (trouble !== null) log(`over: ${trouble.message}`, { kind: 'clock', since: trouble.since })
        trouble = null
        return
      }
      const message = `The clock of this server is ${Math.abs(offBy)} s ${offBy < 0 ? 'behind' : 'ahead of'} the database’s: servers that share it may do the same work twice.`
      const action = 'Let a time service set the clock of every server (chrony, systemd-timesyncd).'
      if (trouble === null) log(message, { kind: 'clock', action })
      const since = trouble?.since ?? now().toISOString()
      trouble = { id: 'clock', kind: 'clock', provider: '', account: '', since, message, action }
    },
    trouble: (): Trouble | null => trouble,
  }
}

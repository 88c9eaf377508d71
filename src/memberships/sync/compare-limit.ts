import { MembershipError } from '../../core/errors.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'

/**
 * Limits a member's own comparisons to one a minute, across all processes. One row holds the members of the last minute
 * only.
 */
export function createCompareLimit({ storage, now }: { storage: Storage; now: () => Date }) {
  const documents = createDocuments(storage, 'pace')

  /** @throws ERR_RATE_LIMIT while the last comparison is less than a minute old */
  return async (memberId: string): Promise<void> => {
    for (;;) {
      const was = await documents.get<LastCompared>(name)
      const moment = now().getTime()
      // A wrong clock blocks nobody for longer than the minute.
      const recent = Object.entries(was ?? {}).filter(([, at]) => Math.abs(moment - at) < minuteMs)
      const ownEntry = recent.find(([id]) => id === memberId)
      if (ownEntry) throw tooSoon(ownEntry[1] + minuteMs - moment)
      const value = { ...Object.fromEntries(recent), [memberId]: moment }
      if (await documents.swap({ key: name, was, value }, new Map())) return
    }
  }
}

/** By member: last comparison, in milliseconds of Unix time. */
type LastCompared = Readonly<Record<string, number>>

const name = 'members who looked'
const minuteMs = 60_000

function tooSoon(ms: number): MembershipError {
  return new MembershipError('ERR_RATE_LIMIT', 'We looked a moment ago.', {
    action: 'Try again in a minute.',
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
  })
}

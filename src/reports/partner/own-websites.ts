import type { ReadyAnswers } from '../answers/ready.ts'
import type { Caller } from '../keys/keys.ts'
import type { Report, ReportStatus } from '../schemas.ts'

/** So many addresses stand in the list to copy. */
export const mostListed = 10_000

/** Reads the API's own answer for a partner's pages: what is shown there, this hour and for this partner. */
export const createOwnWebsites = (ready: Pick<ReadyAnswers, 'list' | 'item'>) => {
  /** One page of them, and where the next begins. */
  const listed = async (
    caller: Caller,
    { limit, ...wish }: { status: ReportStatus | null; cursor: string | null; limit: number },
  ) => {
    const { bytes, next } = await ready.list(caller, { expand: false, limit, ...wish }, '')
    const { data } = JSON.parse(bytes.toString('utf8')) as { data: Report[] }
    const cursor = next === null ? null : new URL(next, 'http://index.invalid').searchParams.get('cursor')
    return { data, cursor }
  }

  /** The addresses of all, {@link mostListed} at the most. */
  const addresses = async (caller: Caller, status: ReportStatus | null): Promise<string[]> => {
    const found: string[] = []
    for (let cursor: string | null = null; ; ) {
      const some = await listed(caller, { status, cursor, limit: 100 })
      found.push(...some.data.map(({ url }) => url))
      if (some.cursor === null || found.length >= mostListed) return found.slice(0, mostListed)
      cursor = some.cursor
    }
  }

  /** @throws ERR_NOT_FOUND, also for somebody else's */
  const website = async (caller: Caller, id: string): Promise<Report> => {
    const { bytes } = await ready.item(caller, id, true, '')
    return (JSON.parse(bytes.toString('utf8')) as { data: Report }).data
  }

  return { listed, addresses, website }
}

import { createDocuments, type Storage } from '../../core/storage/index.ts'
import type { MembershipOptions } from '../options.ts'

/**
 * The moment from which the members of this database are told of, or null where nobody ever was: then nothing is noted.
 * Kept with the data, because what is older is no news, and because a process without hooks (a command) must note what
 * one with hooks will tell.
 */
export const tellingSince = async (
  storage: Storage,
  { hooks, mails, userStore }: MembershipOptions,
  now: () => Date,
): Promise<string | null> => {
  const documents = createDocuments(storage, 'hooks')
  const known = await documents.get<string>('since')
  const isAsked = Object.keys(hooks ?? {}).some((name) => !name.endsWith(':before'))
  if (known !== null || !(isAsked || mails || userStore)) return known
  // Providers say whole seconds: what begins in this one is news.
  const since = new Date(Math.floor(now().getTime() / 1000) * 1000).toISOString()
  await documents.put('since', since)
  return since
}

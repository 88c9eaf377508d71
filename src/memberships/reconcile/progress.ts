import { createDocuments, type Storage } from '../../core/storage/index.ts'
import type { Ref } from '../../providers/contract.ts'

/** What one page of a provider's list showed. */
export interface Page {
  /** Where the next begins; null after the last. */
  readonly cursor: string | null
  readonly checked: number
  /** The objects that differ, by their ids alone: what they say of people is kept nowhere. */
  readonly refs: readonly Ref[]
  /** The subscriptions that it named. */
  readonly subscriptions: readonly string[]
}

/**
 * How far a comparison or an import is, a document a page: whoever was stopped goes on where it was, for six hours. Two that run at
 * once begin where the other is, and find the same.
 */
export const createProgress = (storage: Storage, now: () => Date, task = 'compare') => {
  /** Goes on with one of the same name and kind that was stopped, else begins. */
  const begin = async (name: string, since: Date | null) => {
    const documents = createDocuments(storage, `${task} ${name}`)
    const before = await documents.get<Head>('head')
    const mine: Head = { since: since?.toISOString() ?? null, begun: now().getTime() }
    const isMine = before !== null && before.since === mine.since && mine.begun - before.begun < keptMs
    const pages = isMine ? await documents.list<Page>('page ') : []
    if (!isMine) {
      await documents.clear()
      await documents.put('head', mine)
    }
    const subscriptions = new Set(pages.flatMap((page) => page.subscriptions))
    const refs = distinct(pages.flatMap((page) => page.refs))
    let checked = pages.reduce((total, page) => total + page.checked, 0)
    let count = pages.length
    let cursor = pages.at(-1)?.cursor ?? null

    return {
      cursor: () => cursor,
      /** Whether the last page was read. */
      isListed: () => count > 0 && cursor === null,
      checked: () => checked,
      /** What differed before it was stopped. */
      refs: (): readonly Ref[] => refs,
      subscriptions: (): ReadonlySet<string> => subscriptions,
      note: async (page: Page): Promise<void> => {
        await documents.put(`page ${String(count).padStart(8, '0')}`, page)
        for (const id of page.subscriptions) subscriptions.add(id)
        checked += page.checked
        cursor = page.cursor
        count++
      },
      end: (): Promise<void> => documents.clear(),
    }
  }
  return { begin }
}

const distinct = (refs: readonly Ref[]): Ref[] => [
  ...new Map(refs.map((ref) => [`${ref.kind} ${ref.id}`, ref])).values(),
]

interface Head {
  readonly since: string | null
  readonly begun: number
}

const keptMs = 6 * 3_600_000

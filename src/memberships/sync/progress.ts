import { createDocuments, type Storage } from '../../core/storage/index.ts'
import type { Ref } from '../../providers/contract.ts'

/** The progress of a comparison. */
export interface Compared {
  readonly provider: string
  readonly account: string
  /** Compared objects of the provider. */
  readonly checked: number
  readonly differences: number
}

/** Receives the progress. The next page waits for it. */
export type OnProgress = (progress: Compared) => void | Promise<void>

/** The result of one page of a provider's list. */
export interface Page {
  /** The cursor of the next page; null after the last. */
  readonly cursor: string | null
  readonly checked: number
  /** The ids of differing objects. Personal data is not stored. */
  readonly refs: readonly Ref[]
  /** The subscriptions that the page named. */
  readonly subscriptions: readonly string[]
}

/**
 * The progress of a comparison or an import, one document per page. A stopped run continues there within six hours. Two
 * runs at once begin where the other is, and find the same. The named objects are stored there instead of in memory.
 */
export function createProgress(storage: Storage, now: () => Date, task = 'compare') {
  /** Continues a stopped run of the same name and kind, or begins a new one. */
  const begin = async (name: string, since: Date | null) => {
    const space = `${task} ${name}`
    const documents = createDocuments(storage, space)
    const before = await documents.get<Head>('head')
    const head: Head = { since: since?.toISOString() ?? null, begun: now().getTime() }
    const isMine = before !== null && before.since === head.since && head.begun - before.begun < keptMs
    const pages = isMine ? await documents.list<Written>('page ') : []
    if (!isMine) {
      await documents.clear()
      await documents.put('head', head)
    }
    const refs = distinct(pages.flatMap((page) => page.refs))
    let checked = pages.reduce((total, page) => total + page.checked, 0)
    let count = pages.length
    let cursor = pages.at(-1)?.cursor ?? null

    return {
      /** The documents' space, which also lists the named subscriptions. */
      space,
      cursor: () => cursor,
      /** True once the last page was read. */
      isListed: () => count > 0 && cursor === null,
      checked: () => checked,
      /** Differences found before the stop. */
      refs: (): readonly Ref[] => refs,
      note: async ({ subscriptions, ...page }: Page): Promise<void> => {
        const named = subscriptions.map((id): [string, unknown] => [namedPrefix + id, 1])
        await documents.putAll(new Map([...named, [`page ${String(count).padStart(8, '0')}`, page]]))
        checked += page.checked
        cursor = page.cursor
        count++
      },
      end: (): Promise<void> => documents.clear(),
    }
  }
  return { begin }
}

/** Prefix of a named subscription's key. */
export const namedPrefix = 'named '

type Written = Omit<Page, 'subscriptions'>

function distinct(refs: readonly Ref[]): Ref[] {
  return [...new Map(refs.map((ref) => [`${ref.kind} ${ref.id}`, ref])).values()]
}

interface Head {
  readonly since: string | null
  readonly begun: number
}

const keptMs = 6 * 3_600_000

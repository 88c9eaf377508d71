import type { Log } from '../core/log.ts'
import type { Documents } from '../core/storage/documents.ts'
import { countFigures, type Figures, type FiguresDeps } from './figures.ts'

/** Figures, with the time that counting took. */
interface Counted {
  readonly figures: Figures
  readonly tookMs: number
}

export type KeptFigures = () => Promise<Figures | null>

/**
 * The figures for pages. While counting is quick, each page counts anew. Otherwise the last count of any process is
 * shown with its time, and the next count starts in the background, rarely enough to stay a small part of the site's
 * work. Null during the very first long count.
 */
export function createKeptFigures(
  deps: FiguresDeps & {
    readonly log: Log
    readonly kept: Pick<Documents, 'get' | 'put'>
    /** How long the first page waits for a count. A later page waits for the rest of it. */
    readonly patienceMs?: number
  },
): KeptFigures {
  const { kept, log, patienceMs = 2000 } = deps
  let known: Counted | null = null
  let running: Promise<Counted> | null = null
  let begunAt = 0

  const count = async (): Promise<Counted> => {
    const began = performance.now()
    const figures = await countFigures(deps)
    const counted = { figures, tookMs: performance.now() - began }
    if (counted.tookMs > quickMs) await kept.put(name, counted)
    return counted
  }

  /** Counts once at a time. */
  const counting = (): Promise<Counted> => {
    if (running !== null) return running
    begunAt = performance.now()
    running = count()
      .then((counted) => (known = counted))
      .finally(() => {
        running = null
      })
    return running
  }

  const countBeside = (): void => {
    counting().catch((error: unknown) => log('figures could not be counted', { error: String(error) }))
  }

  const isOld = ({ figures, tookMs }: Counted): boolean =>
    deps.now().getTime() - Date.parse(figures.at) > Math.max(freshMs, tookMs * rarely)

  return async (): Promise<Figures | null> => {
    if (known !== null && known.tookMs <= quickMs) return (await counting()).figures
    if (known === null || isOld(known)) known = (await kept.get<Counted>(name)) ?? known
    if (known === null) {
      const counted = counting()
      return (await within(begunAt + patienceMs - performance.now(), counted))?.figures ?? null
    }
    if (isOld(known)) countBeside()
    return known.figures
  }
}

const name = 'figures'
const quickMs = 25
const freshMs = 60_000
/** The inverse of the share of time that counting may take. */
const rarely = 20

/** Waits for a result, or returns null after `ms`; the work continues. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(done, ms, null)
  })
  work.catch(() => undefined)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

import type { Log } from '../core/log.ts'
import type { createDocuments } from '../core/storage/documents.ts'
import { countFigures, type Figures, type FiguresDeps } from './figures.ts'

/** A count, and how long it took. */
interface Counted {
  readonly figures: Figures
  readonly tookMs: number
}

/**
 * The figures as pages show them: counted anew for every page while that is quick; where it is not, the last count of any
 * process is shown with its moment, and the next one is begun beside it, so rarely that counting is a small part of what
 * the site does. Null while the very first of many is on its way.
 */
export const createKeptFigures = (
  deps: FiguresDeps & {
    readonly log: Log
    readonly kept: Pick<ReturnType<typeof createDocuments>, 'get' | 'put'>
    /** So long whoever comes first waits for the page; whoever comes later waits for the rest of it. */
    readonly patienceMs?: number
  },
) => {
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

  /** One count at a time. */
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
export type KeptFigures = ReturnType<typeof createKeptFigures>

const name = 'figures'
const quickMs = 25
const freshMs = 60_000
/** A count may take so many-th part of the time. */
const rarely = 20

/** Waits for a result so long, else null; the work goes on by itself. */
const within = async <T>(ms: number, work: Promise<T>): Promise<T | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(done, ms, null)
  })
  work.catch(() => undefined)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

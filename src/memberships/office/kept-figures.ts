import type { Log } from '../../core/log.ts'
import { countFigures, type Figures, type FiguresDeps } from './figures.ts'

/**
 * The figures as pages show them: counted anew for every page while that is quick; where it is not, the last count is
 * shown with its moment, and the next one is begun beside it.
 */
export const createKeptFigures = (deps: FiguresDeps & { readonly log: Log }) => {
  let known: { figures: Figures; tookMs: number; at: number } | null = null
  let running: Promise<Figures> | null = null

  const count = (): Promise<Figures> => {
    running ??= (async () => {
      const began = performance.now()
      try {
        const figures = await countFigures(deps)
        known = { figures, tookMs: performance.now() - began, at: performance.now() }
        return figures
      } finally {
        running = null
      }
    })()
    return running
  }

  return async (): Promise<Figures> => {
    if (known === null || known.tookMs <= quickMs) return count()
    if (performance.now() - known.at > freshMs)
      count().catch((error: unknown) => deps.log('figures could not be counted', { error: String(error) }))
    return known.figures
  }
}
export type KeptFigures = ReturnType<typeof createKeptFigures>

const quickMs = 25
const freshMs = 60_000

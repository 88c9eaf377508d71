import type { CrawlProgress } from '../reports/index.ts'

/** The progress of a run, for people. */
export interface CrawlState {
  readonly done: number
  /** The number of websites that are due and not visited yet. */
  readonly left: number
  readonly running: number
  readonly perSecond: number
  /** null as long as nothing was visited, and where nothing is left. */
  readonly secondsLeft: number | null
  /** `12 listed, 1 rejected, …` */
  readonly states: string
}

/** Measures a run: `due` is what else is due, `limit` how many are visited at most. */
export const toState = (
  progress: CrawlProgress,
  { seconds, due, limit }: { seconds: number; due: number; limit: number },
): CrawlState => {
  const { visited, listed, rejected, unreachable, excluded, queued, running } = progress
  const done = visited + excluded
  const left = Math.max(0, Math.min(due + queued + running, limit - done))
  const perSecond = seconds > 0 ? done / seconds : 0
  return {
    done,
    left,
    running,
    perSecond,
    secondsLeft: left === 0 || perSecond === 0 ? null : Math.ceil(left / perSecond),
    states: `${listed} listed, ${rejected} rejected, ${unreachable} unreachable, ${excluded} excluded`,
  }
}

/** `visited 120 (2.4/s), 300 left: 100 listed, …; ends in 2 min` */
export const stateLine = ({ done, left, perSecond, secondsLeft, states }: CrawlState): string =>
  `visited ${done} (${perSecond.toFixed(1)}/s), ${left} left: ${states}${secondsLeft === null ? '' : `; ends in ${duration(secondsLeft)}`}`

/** `45 s`, `3 min`, `2 h 5 min` */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

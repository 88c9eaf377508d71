import { randomUUID } from 'node:crypto'
import { type ClockState, clockPath } from '../fakes/engine/index.ts'

/** A clock that tests move by hand. */
export interface Clock {
  /** Pass it as `now`. */
  readonly now: () => Date
  set(moment: string | Date): void
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number }): void
}

/** Creates a clock that stands still until it is moved. */
export function createClock(start: string | Date = '2026-01-01T00:00:00Z'): Clock {
  let moment = new Date(start).getTime()
  return {
    now: () => new Date(moment),
    set: (to) => {
      moment = new Date(to).getTime()
    },
    advance: ({ days = 0, hours = 0, minutes = 0, seconds = 0 }) => {
      moment += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    },
  }
}

/** A clock that follows a fake server's clock in another process. */
export interface FollowedClock {
  /** Pass it as `now`. */
  readonly now: () => Date
  stop(): void
}

/**
 * Follows the clock of the fake server at `url`, so that a site in its own process has the test's time.
 * `fake.advance` resolves when every follower has the new time.
 */
export async function followClock(url: string): Promise<FollowedClock> {
  const follower = randomUUID()
  const stopping = new AbortController()
  const ask = async (known: number) => {
    const address = new URL(`${clockPath}?${new URLSearchParams({ follower, known: String(known) })}`, url)
    const answer = await fetch(address, { signal: stopping.signal })
    return { ...((await answer.json()) as ClockState), heardAt: Date.now() }
  }
  let state = await ask(0)
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) state = await ask(state.version)
  }
  // The server has closed, so the test is over.
  void follow().catch(() => undefined)
  return {
    now: () => new Date(state.now + (state.running ? Date.now() - state.heardAt : 0)),
    stop: () => stopping.abort(),
  }
}

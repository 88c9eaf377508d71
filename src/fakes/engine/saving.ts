import type { Restore } from './replica.ts'

/** Receives the parts of a state that can be saved. */
export interface Tracking {
  /** Registers a part; `save` returns the function that brings its content back. */
  track(save: () => Restore): void
}

/** Saves the whole state of a fake server, so that several futures can begin at one moment. */
export function createSaving(): Tracking & { save(): Restore } {
  const parts: (() => Restore)[] = []
  const saveParts = () => parts.map((part) => part())
  return {
    track: (save) => {
      parts.push(save)
    },
    /** Returns a function that brings the state back, as often as it is called. */
    save: () => {
      let saved = saveParts()
      return () => {
        for (const restore of saved) restore()
        // What was brought back goes on changing.
        saved = saveParts()
      }
    },
  }
}

/** Tracks a variable. */
export function trackValue<T>(
  tracking: Tracking | undefined,
  read: () => T,
  write: (value: T) => void,
): void {
  tracking?.track(() => {
    const saved = read()
    return () => write(saved)
  })
}

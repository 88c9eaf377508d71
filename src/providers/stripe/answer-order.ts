/**
 * Whole seconds less the time of a call do not tell the order of two calls of one second; when they began and ended
 * does. What is asked after an answer came is newer than that answer; a change is newer than all that was read until it
 * was answered; and what was read beside another call may have been read before it.
 */
export const createAnswerOrder = () => {
  let newest = 0
  return {
    begin: () => {
      const before = newest
      return {
        /** The moment of an answer that came just now, from the latest that is sure of it; milliseconds. */
        end: (sure: number, kind: 'read' | 'write'): number => {
          const ranBeside = newest !== before
          const at =
            kind === 'read' && ranBeside
              ? Math.max(before, Math.min(sure, newest - 1))
              : Math.max(sure, newest + 1)
          newest = Math.max(newest, at)
          return at
        },
      }
    },
  }
}

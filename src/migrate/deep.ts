import { nothing, type Rewrite } from './plan.ts'

/** Runs what goes down into a text's tree; null when the text is nested deeper than the stack. Everything else rises. */
export const ifNotTooDeep = <T>(run: () => T): T | null => {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) return null
    throw error
  }
}

/** What becomes of a text that is nested too deeply to be read. */
export const tooDeep: Rewrite = {
  ...nothing,
  findings: [
    {
      code: 'not-parsed',
      at: 0,
      reason: 'This is nested deeper than can be read, so it was not looked at.',
      replacement: 'Look at it by hand.',
    },
  ],
}

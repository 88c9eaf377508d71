import { nothing, type Rewrite } from './plan.ts'

/**
 * Runs a recursive function on a text's tree; null if the text is nested deeper than the stack. Other errors
 * are rethrown. Texts near that depth are not tried. If V8 compiles a regular expression with too little
 * stack left, it ends the process.
 */
export function ifNotTooDeep<T>(text: string, run: () => T): T | null {
  if (nestingOf(text) > deepest) return null
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) return null
    throw error
  }
}

// Far more than people nest, and far less than any of the parsers supports.
const deepest = 2000

/** Returns the nesting depth of brackets; 0 without any. O(text). */
function nestingOf(text: string): number {
  let [depth, most] = [0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x28 || code === 0x5b || code === 0x7b) most = Math.max(most, ++depth)
    else if (depth > 0 && (code === 0x29 || code === 0x5d || code === 0x7d)) depth--
  }
  return most
}

/** Finding for a text that is nested too deeply to be parsed. */
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

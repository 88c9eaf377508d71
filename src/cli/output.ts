import type { Common } from './flags.ts'

/**
 * Prints the value for machines, or the lines for people. A line break in an id does not start a new line.
 */
export function print(flags: Pick<Common, 'json'>, value: unknown, lines: readonly string[]): void {
  console.log(
    flags.json
      ? JSON.stringify(value, null, 2)
      : lines.map((line) => plain(line).replace(/[\n\u2028\u2029]/g, '\ufffd')).join('\n'),
  )
}

/** Shows progress in one line that is written anew, on a terminal and not for machines. */
export function progressLine(flags: Pick<Common, 'json'>) {
  const isShown = process.stderr.isTTY === true && !flags.json
  return {
    show: (text: string): void => {
      if (isShown) process.stderr.write(`\r${text} `)
    },
    end: (): void => {
      if (isShown) process.stderr.write('\n')
    },
  }
}

/** Removes terminal control characters: much of the text was written by strangers. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** Formats rows in columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, Math.min(cell.length, widest))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
// One very long address shifts its own line only.
const widest = 60

/** Formats a count: `1 website`, `2 websites`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a time to the second, in UTC. */
export function shortTime(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')
}

/** Last lines of a plan that was not carried out. */
export const notYet = 'Nothing was changed yet.\n→ --write does it.'.split('\n')

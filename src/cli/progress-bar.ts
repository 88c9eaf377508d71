import cliProgress from 'cli-progress'

/** Values that a bar's format names in braces, besides `{bar}`, `{value}`, `{total}` and `{percentage}`. */
export type BarValues = Readonly<Record<string, string | number>>

/**
 * Creates a bar on the terminal's error stream. It appears with the first `show`, whose total may grow later,
 * and `clear` removes it, so that a line can be printed. The next `show` draws it again.
 * @param format for example `[{bar}] {value}/{total}  {rate}/s`
 */
export function createProgressBar(format: string) {
  const bar = new cliProgress.SingleBar(
    {
      format,
      barsize: 20,
      clearOnComplete: true,
      hideCursor: true,
      gracefulExit: false,
      stream: process.stderr,
    },
    cliProgress.Presets.shades_classic,
  )
  let isOpen = false
  return {
    show: (done: number, total: number, values: BarValues = {}) => {
      if (!isOpen) bar.start(total, done, values)
      isOpen = true
      bar.setTotal(total)
      bar.update(done, values)
    },
    clear: () => {
      if (isOpen) bar.stop()
      isOpen = false
    },
  }
}

/** A display that shows nothing. */
export const noSteps = { show: () => undefined, stop: () => undefined }

/**
 * Shows a bar on a terminal. Elsewhere it writes a line every few seconds, so that a long run does not look
 * dead.
 */
export function createSteps() {
  if (process.stderr.isTTY !== true) return createLines(Date.now, (line) => process.stderr.write(line))
  const bar = createProgressBar('{step} [{bar}] {value}/{total} {item}')
  return {
    show: (step: string, done: number, all: number, item = '') => bar.show(done, all, { step, item }),
    stop: bar.clear,
  }
}

const secondsBetweenLines = 3

/** Writes a line when a step takes longer than a few seconds, and names what took so long by itself. */
export function createLines(now: () => number, write: (line: string) => void) {
  let last = now()
  let before: { readonly at: number; readonly item: string } | null = null
  return {
    show: (step: string, done: number, all: number, item = '') => {
      const at = now()
      const tookMs = before === null ? 0 : at - before.at
      if (before !== null && before.item !== '' && tookMs >= secondsBetweenLines * 1000)
        write(`${before.item} took ${Math.round(tookMs / 1000)} s\n`)
      before = { at, item }
      if (at - last < secondsBetweenLines * 1000) return
      last = at
      write(`${step}: ${done} of ${all}${item === '' ? '' : ` (${item})`}\n`)
    },
    stop: () => undefined,
  }
}

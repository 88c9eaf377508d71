import cliProgress from 'cli-progress'

/** A display that shows nothing. */
export const noBar = { show: () => undefined, stop: () => undefined }

/** Shows a bar on a terminal. Elsewhere it writes a line every few seconds, so that a long run does not
 *  look dead. */
export const createBar = () => {
  if (process.stderr.isTTY !== true) return createLines(Date.now, (line) => process.stderr.write(line))
  const bar = new cliProgress.SingleBar(
    {
      format: '{step} [{bar}] {value}/{total}',
      clearOnComplete: true,
      hideCursor: true,
      stream: process.stderr,
    },
    cliProgress.Presets.shades_classic,
  )
  let isOpen = false
  return {
    show: (step: string, done: number, all: number) => {
      if (!isOpen) bar.start(all, done, { step })
      isOpen = true
      bar.setTotal(all)
      bar.update(done, { step })
    },
    stop: () => bar.stop(),
  }
}

const secondsBetweenLines = 3

/** Writes a line when a step takes longer than a few seconds. */
export function createLines(now: () => number, write: (line: string) => void) {
  let last = now()
  return {
    show: (step: string, done: number, all: number) => {
      if (now() - last < secondsBetweenLines * 1000) return
      last = now()
      write(`${step}: ${done} of ${all}\n`)
    },
    stop: () => undefined,
  }
}

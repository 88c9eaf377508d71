import cliProgress from 'cli-progress'

/** Shows nothing. */
export const noBar = { show: () => undefined, stop: () => undefined }

/** A progress bar on a terminal; nothing in pipes. */
export const createBar = () => {
  if (process.stderr.isTTY !== true) return noBar
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

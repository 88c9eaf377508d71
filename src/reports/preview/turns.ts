import { imagesBusy } from './refusals.ts'

/** Lets `atOnce` tasks run together and `waiting` more wait: decoding a picture takes up to 250 MB and a second.
 *  @throws ERR_BUSY when the queue is full. */
export const createTurns = ({ atOnce, waiting }: { atOnce: number; waiting: number }) => {
  const queue: (() => void)[] = []
  let running = 0
  const turn = async () => {
    if (running < atOnce) {
      running += 1
      return
    }
    if (queue.length >= waiting) throw imagesBusy()
    // Whoever ends hands its place on, so `running` stays as it is.
    await new Promise<void>((go) => queue.push(go))
  }
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
  return async <T>(task: () => Promise<T>): Promise<T> => {
    await turn()
    return task().finally(leave)
  }
}

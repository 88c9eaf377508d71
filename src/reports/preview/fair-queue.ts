import { imagesBusy } from './refusals.ts'

/** Limits of what waits, in all and for one sender. */
export interface TurnLimits {
  /** Tasks of one lane that run together. */
  readonly atOnce: number
  /** Tasks that may wait in one lane, of all together and of one sender. */
  readonly waiting: number
  readonly waitingEach: number
}

interface Waiting {
  readonly go: () => void
  readonly refuse: (error: unknown) => void
}

/**
 * Lets tasks run in turns by sender: whoever sent one picture is next, however many somebody else sent before. When too
 * many wait, the newest of whoever has most of them is refused.
 * @throws ERR_BUSY
 */
export const createFairQueue = ({ atOnce, waiting, waitingEach }: TurnLimits) => {
  // In the order of their next turn.
  const queues = new Map<string, Waiting[]>()
  let running = 0

  const turn = (sender: string): Promise<void> | undefined => {
    if (running < atOnce) {
      running += 1
      return undefined
    }
    const queue = queues.get(sender) ?? []
    if (queue.length >= waitingEach) throw imagesBusy()
    return new Promise((go, refuse) => {
      queues.set(sender, [...queue, { go, refuse }])
      makeRoom()
    })
  }

  const makeRoom = () => {
    const all = [...queues.values()]
    if (all.reduce((sum, queue) => sum + queue.length, 0) <= waiting) return
    const longest = all.reduce((most, queue) => (queue.length >= most.length ? queue : most))
    longest.pop()?.refuse(imagesBusy())
  }

  const leave = () => {
    const next = nextInTurn()
    // Its place is handed on, so `running` stays as it is.
    if (next) next.go()
    else running -= 1
  }

  const nextInTurn = (): Waiting | undefined => {
    for (const [sender, queue] of queues) {
      queues.delete(sender)
      const next = queue.shift()
      if (queue.length > 0) queues.set(sender, queue)
      if (next) return next
    }
    return undefined
  }

  return async <T>(sender: string, task: () => Promise<T>): Promise<T> => {
    await turn(sender)
    return task().finally(leave)
  }
}

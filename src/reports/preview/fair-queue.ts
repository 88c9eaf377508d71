import { imagesBusy } from './refusals.ts'

/** Limits of the queue, in all and per sender. */
export interface TurnLimits {
  /** Concurrent tasks of one lane. */
  readonly atOnce: number
  /** Most waiting tasks in one lane, of all senders and of one. */
  readonly waiting: number
  readonly waitingEach: number
}

interface Waiting {
  readonly go: () => void
  readonly refuse: (error: unknown) => void
}

/** Runs tasks in turns by sender, so that one picture never waits behind another sender's many. If too
 *  many tasks wait, the newest task of the sender with the most is refused.
 *  @throws ERR_BUSY */
export const createFairQueue = ({ atOnce, waiting, waitingEach }: TurnLimits) => {
  // Ordered by next turn.
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
    // The place is passed on, so `running` stays the same.
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

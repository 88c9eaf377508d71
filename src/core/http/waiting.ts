import { MembershipError } from '../errors.ts'

/** How long is waited, and among how many. */
export interface Patience {
  /** Whoever waits for longer is told to come again; what was begun for them goes on. */
  readonly longestMs: number
  /** Nobody more is taken in while so many wait, and the first of them for so long. */
  readonly crowd: number
  readonly crowdedMs: number
}

// Providers give up after five seconds at the earliest (Paddle: https://developer.paddle.com/webhooks/respond-to-webhooks).
const usual: Patience = { longestMs: 4000, crowd: 256, crowdedMs: 2000 }

/** Answers in time whatever can only be done too late: more than can be done is refused, before it costs anything. */
export const createWaiting = ({ longestMs, crowd, crowdedMs }: Patience = usual) => {
  // In the order of their coming.
  const since = new Set<{ readonly at: number }>()

  const isCrowded = (at: number): boolean => {
    const [first] = since
    return first !== undefined && since.size >= crowd && at - first.at > crowdedMs
  }

  /** Runs it; from when `begin` is called it is waited for. @throws ERR_BUSY */
  const wait = <T>(run: (begin: () => void) => Promise<T>): Promise<T> =>
    new Promise((done, failed) => {
      const one = { at: 0 }
      let timer: NodeJS.Timeout | undefined
      const begin = () => {
        one.at = performance.now()
        if (isCrowded(one.at)) throw busy('More arrives than can be done at once.')
        since.add(one)
        let turns = 0
        timer = setInterval(() => {
          turns++
          if (turns >= leastTurns && performance.now() - one.at >= longestMs)
            failed(busy('It takes too long, and goes on.'))
        }, longestMs / 16)
      }
      run(begin)
        .then(done, failed)
        .finally(() => {
          clearInterval(timer)
          since.delete(one)
        })
    })

  return { wait }
}

// So many turns of the event loop at least: one long turn of the site's own, in which nothing could be answered, is not
// taken for a database that is slow.
const leastTurns = 8

const busy = (message: string): MembershipError =>
  new MembershipError('ERR_BUSY', message, { retryAfterSeconds: 5, action: 'Send it again shortly.' })

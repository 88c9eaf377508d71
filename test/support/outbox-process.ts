// One of several processes that deliver from one outbox: node --import tsx outbox-process.ts DATABASE_URL
// Its parent tells it to work, how late it is, and whether its deliveries hang.
import { setTimeout as pause } from 'node:timers/promises'
import { createOutbox } from '../../src/core/jobs/outbox.ts'
import { openStorage } from '../../src/core/storage/index.ts'

export interface Told {
  readonly lateMs: number
  readonly hangs: boolean
}
export type Said =
  | { readonly kind: 'ready' | 'idle' }
  | { readonly kind: 'has' | 'did'; readonly id: string; readonly at: number }

function say(said: Said) {
  return void process.send?.(said)
}
let told: Told = { lateMs: 0, hangs: false }
function now() {
  return new Date(Date.now() + told.lateMs)
}

const storage = await openStorage({ url: process.argv[2] ?? '', synchronous: 'full', pool: 3, now })
const outbox = createOutbox({
  storage,
  now,
  log: () => {},
  retries: 3,
  handlers: {
    hook: async ({ id }) => {
      // One clock for all processes of a machine.
      say({ kind: told.hangs ? 'has' : 'did', id, at: performance.timeOrigin + performance.now() })
      await pause(told.hangs ? 2 ** 30 : 25)
    },
  },
})
process.on('message', (message: Told) => {
  told = message
  void outbox.deliverDue().then(() => say({ kind: 'idle' }))
})
process.on('disconnect', () => process.exit())
say({ kind: 'ready' })

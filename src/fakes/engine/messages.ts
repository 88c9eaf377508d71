import { type Replica, trackMap } from './replica.ts'
import type { Tracking } from './saving.ts'

/** An event as first written; every delivery sends the bytes of `body`. */
export interface Message {
  readonly id: string
  readonly type: string
  /** Unix seconds. */
  readonly created: number
  readonly body: string
}

/** Stores all events, oldest first. They are kept as text, which is small and cannot change. */
export function createMessages(replica?: Pick<Replica, 'track' | 'beforeChange'>, saving?: Tracking) {
  let all: Message[] = []
  const byId = new Map<string, Message>()
  if (saving !== undefined) trackMap(saving, byId)
  const listeners: ((message: Message) => void)[] = []

  replica?.track(() => {
    const saved = all
    all = [...all]
    return () => {
      all = saved
    }
  })

  return {
    all: (): readonly Message[] => all,
    find: (id: string): Message | undefined => byId.get(id),
    onAppend: (listener: (message: Message) => void): void => {
      listeners.push(listener)
    },
    append: (message: Message): void => {
      replica?.beforeChange()
      all.push(message)
      byId.set(message.id, message)
      for (const listener of listeners) listener(message)
    },
  }
}
/** Reads each message once. Every page of a long list begins with all of them. */
export function readingOnce<T>(read: (message: Message) => T): (message: Message) => T {
  const known = new WeakMap<Message, { readonly value: T }>()
  return (message) => {
    const found = known.get(message) ?? { value: read(message) }
    known.set(message, found)
    return found.value
  }
}

/** Store of one provider's events. */
export type Messages = ReturnType<typeof createMessages>

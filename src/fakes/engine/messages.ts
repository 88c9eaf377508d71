/** Message as it was first written; `body` are the bytes that every delivery sends. */
export interface Message {
  readonly id: string
  readonly type: string
  /** Unix seconds. */
  readonly created: number
  readonly body: string
}

/** All messages, oldest first. They are kept as text, which is small, and nothing can change them afterwards. */
export const createMessages = () => {
  const all: Message[] = []
  const byId = new Map<string, Message>()
  const listeners: ((message: Message) => void)[] = []

  return {
    all: (): readonly Message[] => all,
    find: (id: string): Message | undefined => byId.get(id),
    onAppend: (listener: (message: Message) => void): void => {
      listeners.push(listener)
    },
    append: (message: Message): void => {
      all.push(message)
      byId.set(message.id, message)
      for (const listener of listeners) listener(message)
    },
  }
}
/** The messages of one merchant. */
export type Messages = ReturnType<typeof createMessages>

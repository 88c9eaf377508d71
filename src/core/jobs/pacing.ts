import { AsyncLocalStorage } from 'node:async_hooks'

const paces = new AsyncLocalStorage<() => Promise<void>>()

/** Runs what asks others while nobody waits for it: each of its requests waits for its turn. */
export const paced = <T>(turn: () => Promise<void>, run: () => Promise<T>): Promise<T> => paces.run(turn, run)

/** Before each request to a provider: at once, unless it is one that waits for its turn. */
export const nextTurn = async (): Promise<void> => paces.getStore()?.()

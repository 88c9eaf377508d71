import { AsyncLocalStorage } from 'node:async_hooks'

const paces = new AsyncLocalStorage<() => Promise<void>>()

/** Runs background work: each of its requests to a provider waits for its turn. */
export function paced<T>(turn: () => Promise<void>, run: () => Promise<T>): Promise<T> {
  return paces.run(turn, run)
}

/** Waits before a request to a provider, if it belongs to background work; otherwise returns at once. */
export async function nextTurn(): Promise<void> {
  return paces.getStore()?.()
}

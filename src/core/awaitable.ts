/** A value that is there, or one that is waited for. */
export type Awaitable<T> = T | Promise<T>

/** Continues with a value. One that is there is used at once: each promise costs a page about a microsecond. */
export function withValue<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

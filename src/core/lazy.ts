/** Creates a value on first use, once. */
export const lazy = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Yields copies of the event, each with one part removed or replaced by a value of another type. */
export const damaged = function* (event: unknown): Generator<Buffer> {
  for (const path of paths(event, []))
    for (const put of [undefined, null, '', 7, [], {}]) {
      const copy = structuredClone(event)
      let parent = copy as Record<string, unknown>
      for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>
      parent[path.at(-1)!] = put
      yield Buffer.from(JSON.stringify(copy))
    }
}

const paths = function* (value: unknown, at: string[]): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield [...at, key]
    yield* paths(inner, [...at, key])
  }
}

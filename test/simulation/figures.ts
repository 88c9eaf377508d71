/** What a run counts. */
export function createFigures() {
  const counts = {
    actions: new Map<string, number>(),
    refused: new Map<string, number>(),
    failed: new Map<string, number>(),
    world: new Map<string, number>(),
    /** Payments that stayed with the site, by what they are behind. */
    money: new Map<string, number>(),
  }
  const count = (what: keyof typeof counts, name: string, by = 1): void => {
    counts[what].set(name, (counts[what].get(name) ?? 0) + by)
  }
  return { counts, count }
}
export type Figures = ReturnType<typeof createFigures>

export function lineOf(counts: ReadonlyMap<string, number>): string {
  return (
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ') || 'none'
  )
}

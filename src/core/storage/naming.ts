/**
 * Decides if statements are kept prepared on the server, under names. A pooler in transaction mode (PgBouncer and
 * its like) lends each transaction another of the server's connections, which knows other names: there they go
 * without.
 */
export const createNaming = (isPooled: boolean) => {
  let isNamed = !isPooled

  const nameOf = (name: string): string | undefined => (isNamed ? name : undefined)

  /** True where the line turns out to keep no names: a pooler may come in between later. From then on there are none. */
  const learn = (error: unknown): boolean => {
    const isLost = isNameFault(error)
    if (isLost) isNamed = false
    return isLost
  }

  /** Runs, and again without names where there turn out to be none. */
  const heal = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      if (!learn(error)) throw error
      return run()
    }
  }

  return { nameOf, learn, heal }
}
export type Naming = ReturnType<typeof createNaming>

/**
 * A pooler tells its clients a number of its own instead of the server process's, since theirs changes; without one
 * both are the same. Source: https://www.postgresql.org/docs/current/protocol-message-formats.html (BackendKeyData)
 */
export const isPooledLine = (told: number | null | undefined, serving: number | undefined): boolean =>
  told !== null && told !== undefined && serving !== undefined && told !== serving

/** A statement's name that is there already, or is not: 42P05 and 26000, the fault of the line and not of a statement.
 *  Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const isNameFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '42P05' || error.code === '26000')

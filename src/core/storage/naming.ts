export interface Naming {
  nameOf(name: string): string | undefined
  /**
   * True if the connection turns out to lose names, because a pooler may be added later. From then on no names are
   * used.
   */
  learn(error: unknown): boolean
  /** Runs a query, and repeats it without names if they turn out to be lost. */
  heal<T>(run: () => Promise<T>): Promise<T>
}

/**
 * Decides whether statements stay prepared on the server, by name. A pooler in transaction mode (such as PgBouncer)
 * gives each transaction another server connection, which knows other names. There, statements have no names.
 */
export function createNaming(isPooled: boolean): Naming {
  let isNamed = !isPooled

  const nameOf = (name: string): string | undefined => (isNamed ? name : undefined)

  const learn = (error: unknown): boolean => {
    const isLost = isNameFault(error)
    if (isLost) isNamed = false
    return isLost
  }

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

/**
 * True if a pooler is in between. It reports a number of its own instead of the server process's, which changes;
 * without a pooler both are equal. Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 * (BackendKeyData)
 */
export function isPooledLine(reported: number | null | undefined, serving: number | undefined): boolean {
  return reported !== null && reported !== undefined && serving !== undefined && reported !== serving
}

/**
 * True for a statement name that already exists or is unknown (42P05, 26000): a fault of the connection, not of a
 * statement.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isNameFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '42P05' || error.code === '26000')
}

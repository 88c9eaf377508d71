import { sql } from 'kysely'
import type { Storage } from '../core/storage/index.ts'

/** A membership that is being moved to another provider, and of which the next step is not known. */
export interface UnsettledSwitch {
  readonly provider: string
  readonly id: string
  readonly to_provider: string
  readonly until: string
  /** asked (its provider was told, and the answer is missing), unsure (it ends, and perhaps not by us) */
  readonly state: string
  readonly updated_at: string
  readonly member_id: string | null
}

/** Queries for the leftovers of imports and switches, each along an index. */
export const leftoverStatements = ({ read }: Pick<Storage, 'read'>) => {
  /** Switches that somebody has to look at: what was asked before `asked` is not on its way any more, and what is over by
   *  `now` is unsure no longer. */
  const unsettled = (when: { now: string; asked: string }, limit: number): Promise<UnsettledSwitch[]> =>
    read((db) =>
      db
        .selectFrom('switches as w')
        .leftJoin('subscriptions as s', (join) =>
          join
            .onRef('s.provider', '=', 'w.provider')
            .onRef('s.account', '=', 'w.account')
            .onRef('s.id', '=', 'w.id'),
        )
        .leftJoin('customers as c', (join) =>
          join
            .onRef('c.provider', '=', 's.provider')
            .onRef('c.account', '=', 's.account')
            .onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['w.provider', 'w.id', 'w.to_provider', 'w.until', 'w.state', 'w.updated_at', 'c.member_id'])
        // As the index says it.
        .where(sql<boolean>`w.state in ('asked', 'unsure')`)
        .where(({ eb, and, or }) =>
          or([
            and([eb('w.state', '=', 'asked'), eb('w.updated_at', '<', when.asked)]),
            and([eb('w.state', '=', 'unsure'), eb('w.until', '>', when.now)]),
          ]),
        )
        .orderBy('w.state')
        .orderBy('w.updated_at')
        .limit(limit),
    )

  /** Finds the imports of providers that were begun and are not at their end. */
  const startedImports = async (): Promise<{ place: string; begun: number }[]> => {
    const rows = await read((db) =>
      db
        .selectFrom('documents')
        .select(['space', 'value'])
        .where('key', '=', 'head')
        .where('space', '>', importSpace)
        .where('space', '<', `${importSpace.slice(0, -1)}!`)
        .orderBy('space'),
    )
    return rows.map(({ space, value }) => ({
      place: space.slice(importSpace.length),
      begun: (JSON.parse(value) as { begun: number }).begun,
    }))
  }

  return { unsettled, startedImports }
}

/** The beginning of the name of the space where an import keeps its progress, before `{provider} {account}`. */
export const importSpace = 'import '

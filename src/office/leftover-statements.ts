import { sql } from 'kysely'
import { type Storage, sameAccount } from '../core/storage/index.ts'

/** A membership in a provider switch whose next step is unknown. */
export interface UnsettledSwitch {
  readonly provider: string
  readonly id: string
  readonly to_provider: string
  readonly until: string
  /** asked (its provider was called, and the answer is missing), unsure (it ends, but perhaps not by us) */
  readonly state: string
  readonly updated_at: string
  readonly member_id: string | null
}

/** Statements about the leftovers of imports and switches, each by index. */
export function leftoverStatements({ read }: Pick<Storage, 'read'>) {
  /**
   * Lists switches that need an operator. A request older than `asked` is no longer on its way, and a switch over by
   * `now` is no longer unsure.
   */
  const unsettled = (when: { now: string; asked: string }, limit: number): Promise<UnsettledSwitch[]> =>
    read((db) =>
      db
        .selectFrom('switches as w')
        .leftJoin('subscriptions as s', (join) => sameAccount(join, 's', 'w').onRef('s.id', '=', 'w.id'))
        .leftJoin('customers as c', (join) =>
          sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['w.provider', 'w.id', 'w.to_provider', 'w.until', 'w.state', 'w.updated_at', 'c.member_id'])
        // Written as in the index.
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

  /** Lists the provider imports that began and are not complete. */
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

/** Prefix of the space with an import's progress, before `{provider} {account}`. */
export const importSpace = 'import '

import { sql } from 'kysely'
import { type Step, type Storage, step } from '../storage/index.ts'

/** A message that waits or was given up, with its payload. */
export interface LaneMessage {
  readonly kind: string
  readonly payload: string
  readonly status: string
  readonly created_at: string
}

/** Doors to what waits in the outbox, for the modules whose messages these are. */
export interface Lanes {
  /** Deletes the messages of a lane. */
  drop(lane: string): Step
  /** Deletes the messages of every lane that begins like this. */
  dropBeginning(prefix: string): Step
  /**
   * Moves waiting messages to the lane of another owner, where all keep the order in which they were queued. `about` is
   * a part of their payload. It reads everything that waits.
   */
  move(lanes: { readonly from: string; readonly to: string; readonly about: string }): Step
  /** The messages of one kind that were given up. */
  listDead(kind: string): Promise<{ readonly seq: number; readonly payload: string }[]>
  /** Deletes a message that was given up. */
  dropDead(seq: number): Step
  /** The messages of a lane, and all of one kind. */
  list(lane: string, kind: string): Promise<LaneMessage[]>
}

/** Prepares the doors. */
export function createLanes(storage: Storage): Lanes {
  const drop = storage.prepare<{ lane: string }>('outbox-erase', (db, p) =>
    db.deleteFrom('outbox').where('lane', '=', p.lane),
  )
  const dropBeginning = storage.prepare<{ prefix: string }>('outbox-events-erase', (db, p) =>
    db
      .deleteFrom('outbox')
      .where(sql<boolean>`substr(lane, 1, length(cast(${p.prefix} as text))) = ${p.prefix}`),
  )
  const move = storage.prepare<{ from: string; to: string; about: string }>('told-waiting-move', (db, p) =>
    db
      .updateTable('outbox')
      .set({
        lane: sql<string>`cast(${p.to} as text) || substr(lane, length(cast(${p.from} as text)) + 1)`,
      })
      .where('status', '=', 'waiting')
      .where(
        sql<boolean>`substr(lane || ':', 1, length(cast(${p.from} as text)) + 1) = cast(${p.from} as text) || ':'`,
      )
      .where(sql<boolean>`replace(payload, cast(${p.about} as text), '') <> payload`),
  )
  const list = storage.prepare<{ lane: string; kind: string }, LaneMessage>('export-unsent', (db, p) =>
    db
      .selectFrom('outbox')
      .select(['kind', 'payload', 'status', 'created_at'])
      .where(({ eb, or }) => or([eb('lane', '=', p.lane), eb('kind', '=', p.kind)]))
      .orderBy('seq'),
  )
  const listDead = storage.prepare<{ kind: string }, { seq: number; payload: string }>(
    'outbox-dead',
    (db, p) =>
      db
        .selectFrom('outbox')
        .select(['seq', 'payload'])
        .where('kind', '=', p.kind)
        .where('status', '=', 'dead'),
  )
  const dropDead = storage.prepare<{ seq: number }>('outbox-dead-erase', (db, p) =>
    db.deleteFrom('outbox').where('seq', '=', p.seq).where('status', '=', 'dead'),
  )
  return {
    listDead: (kind) => storage.all(listDead, { kind }),
    dropDead: (seq) => step(dropDead, { seq }),
    drop: (lane) => step(drop, { lane }),
    dropBeginning: (prefix) => step(dropBeginning, { prefix }),
    move: (lanes) => step(move, { from: lanes.from, to: lanes.to, about: lanes.about }),
    list: (lane, kind) => storage.all(list, { lane, kind }),
  }
}

import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'
import { stopping, trialEnd } from './text-search.ts'

export const name = 'trial-ends'

export const up = (): Compilable[] => []

/** What the office counts and lists of trials that end soon and go on, in place of every trial. */
export const indexes = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema
    .createIndex('subscriptions_trial_ends')
    .on('subscriptions')
    .expression(sql`${trialEnd(dialect)}, provider, account, id`)
    .where(sql<boolean>`status = 'trialing' and not ${stopping(dialect)}`),
]

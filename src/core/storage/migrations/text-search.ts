import { sql } from 'kysely'
import type { Dialect } from '../contract.ts'

/** Whether what is stored of a subscription says that it is to end, read as text: PostgreSQL refuses, as JSON, what a
 *  provider's text may hold. As the condition of an index and of the queries that read along it. */
export const stopping = (dialect: Dialect, table: 's.' | '' = '') => {
  const data = sql.raw(`${table}data`)
  const has = (part: string) =>
    dialect === 'sqlite'
      ? sql<boolean>`instr(${data}, ${sql.lit(part)}) > 0`
      : sql<boolean>`strpos(${data}, ${sql.lit(part)}) > 0`
  return sql<boolean>`(${has('"cancel_at":"')} or ${has('"cancel_at_period_end":true')})`
}
/** When the trial of a subscription ends, out of what is stored of it; null where it says no moment. Read as text: PostgreSQL
 *  refuses, as JSON, what a provider's text may hold. An index has the same words. */
export const trialEnd = (dialect: Dialect, table: 's.' | '' = '') => {
  const data = sql.raw(`${table}data`)
  const name = sql.lit('"trial_ends_at":"')
  const at =
    dialect === 'sqlite' ? sql<number>`instr(${data}, ${name})` : sql<number>`strpos(${data}, ${name})`
  // The name has 17 characters, a moment 24.
  return sql<string | null>`(case when ${at} > 0 then substr(${data}, ${at} + 17, 24) end)`
}

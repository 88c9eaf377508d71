import { type Compilable, type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * The text in which PostgreSQL searches members. Its trigram index answers a search for a part of it.
 * https://www.postgresql.org/docs/current/pgtrgm.html
 */
export const memberWords = "lower(' ' || coalesce(email, '') || ' ' || coalesce(name, ''))"

const name = 'members_trigrams'
const index = `create index ${name} on members using gin ((${memberWords}) gin_trgm_ops)`

/** Checks whether the extension exists, as `there`. */
export const hasTrigrams =
  "select exists (select 1 from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) as there"

/** The trigram index, which is built while others write; only where the extension exists. */
export const trigramIndex: readonly [name: string, sql: string] = [name, index]

/**
 * Requests the extension, which a database's owner may create since PostgreSQL 13. Without permission, searches read
 * every member. A table without members gets its index at once.
 */
export function askForTrigrams(db: Kysely<Tables>): Compilable {
  return {
    compile: () => sql.raw(asking).compile(db),
  }
}

const asking = `do $$ begin
  begin
    create extension if not exists pg_trgm;
  exception when others then null;
  end;
  if exists (select 1 from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid))
    and not exists (select 1 from members) then
    ${index};
  end if;
end $$`

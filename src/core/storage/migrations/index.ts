import * as baseline from './0001-baseline.ts'
import type { Migration } from './migration.ts'

export type { Migration, Rewriting, SchemaBuilder } from './migration.ts'

/** In order; the number of a migration is its place, from 1. Never changed once released, only followed. */
export const migrations: readonly Migration[] = [baseline]

import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import type { Tables } from '../../core/storage/tables.ts'

export type ExclusionRow = Tables['exclusions']
export type ImportLineRow = Tables['import_lines']
/** A waiting line and its partner. */
export type DueLine = ImportLineRow & Pick<Tables['imports'], 'partner_id' | 'key_id'>

const patternPlaces = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const
export type PatternPlaces = Record<(typeof patternPlaces)[number], string>
/** Splits patterns into groups of eight, because the compiled statement takes eight. */
export function toPatternPlaces(patterns: readonly string[]): PatternPlaces[] {
  const distinct = [...new Set(patterns)]
  return Array.from({ length: Math.ceil(distinct.length / patternPlaces.length) }, (_, part) => {
    const from = part * patternPlaces.length
    const valueAt = (i: number) => distinct[from + i] ?? distinct[from]!
    return Object.fromEntries(patternPlaces.map((place, i) => [place, valueAt(i)])) as PatternPlaces
  })
}

/** Statements for exclusions, imports, repeated requests and the audit log. */
export function officeStatements(storage: Storage) {
  return {
    auditInsert: storage.prepareMany<Omit<Tables['audit'], 'seq'>>(
      'audit-insert',
      {
        all: ['at', 'actor', 'action', 'subject', 'details'],
        key: ['at', 'actor', 'action', 'subject', 'details'],
      },
      (db, rows) => db.insertInto('audit').values(rows),
    ),
    exclusionPut: storage.prepare<ExclusionRow>('exclusion-put', (db, p) =>
      db
        .insertInto('exclusions')
        .values({
          id: p.id,
          pattern: p.pattern,
          against: p.against,
          reason: p.reason,
          until: p.until,
          created_at: p.created_at,
        })
        .onConflict((c) =>
          c.columns(['pattern', 'against']).doUpdateSet({ reason: p.reason, until: p.until }),
        ),
    ),
    /** Finds the rules among eight patterns, which may repeat, so that the statement is compiled once. */
    exclusionsOf: storage.prepare<PatternPlaces, ExclusionRow>('exclusions-of', (db, p) =>
      db
        .selectFrom('exclusions')
        .selectAll()
        .where(
          'pattern',
          'in',
          patternPlaces.map((place) => p[place]),
        ),
    ),
    exclusionDelete: storage.prepare<{ pattern: string }>('exclusion-delete', (db, p) =>
      db.deleteFrom('exclusions').where('pattern', '=', p.pattern),
    ),
    idempotencyBegin: storage.prepare<
      Pick<Tables['idempotency_keys'], 'key_id' | 'value' | 'fingerprint' | 'created_at'>
    >('idempotency-begin', (db, p) =>
      db
        .insertInto('idempotency_keys')
        .values({
          key_id: p.key_id,
          value: p.value,
          fingerprint: p.fingerprint,
          status: null,
          headers: null,
          body: null,
          created_at: p.created_at,
        })
        .onConflict((c) => c.columns(['key_id', 'value']).doNothing()),
    ),
    idempotency: storage.prepare<{ key_id: string; value: string }, Tables['idempotency_keys']>(
      'idempotency',
      (db, p) =>
        db
          .selectFrom('idempotency_keys')
          .selectAll()
          .where('key_id', '=', p.key_id)
          .where('value', '=', p.value),
    ),
    idempotencyDone: storage.prepare<{
      key_id: string
      value: string
      status: number
      headers: string
      body: string
    }>('idempotency-done', (db, p) =>
      db
        .updateTable('idempotency_keys')
        .set({ status: p.status, headers: p.headers, body: p.body })
        .where('key_id', '=', p.key_id)
        .where('value', '=', p.value),
    ),
    idempotencyDrop: storage.prepare<{ key_id: string; value: string }>('idempotency-drop', (db, p) =>
      db.deleteFrom('idempotency_keys').where('key_id', '=', p.key_id).where('value', '=', p.value),
    ),
    importInsert: storage.prepare<Tables['imports']>('import-insert', (db, p) =>
      db.insertInto('imports').values({
        id: p.id,
        partner_id: p.partner_id,
        key_id: p.key_id,
        total: p.total,
        created_at: p.created_at,
      }),
    ),
    importOf: storage.prepare<{ id: string; partner_id: string }, Tables['imports']>('import-of', (db, p) =>
      db.selectFrom('imports').selectAll().where('id', '=', p.id).where('partner_id', '=', p.partner_id),
    ),
    importLines: storage.prepare<{ import_id: string }, ImportLineRow>('import-lines', (db, p) =>
      db.selectFrom('import_lines').selectAll().where('import_id', '=', p.import_id).orderBy('line'),
    ),
    importLineInsert: storage.prepareMany<ImportLineRow>(
      'import-line-insert',
      {
        all: ['import_id', 'line', 'text', 'url', 'outcome', 'detail', 'report_id', 'due_at'],
        key: ['import_id', 'line'],
      },
      (db, rows) => db.insertInto('import_lines').values(rows),
    ),
    /** Returns the first `each` lines of every partner, so that no list blocks another partner's. */
    importLinesDue: storage.prepare<{ now: string; each: number }, DueLine & { place: number }>(
      'import-lines-due',
      (db, p) =>
        db
          .selectFrom((eb) =>
            eb
              .selectFrom('import_lines as l')
              .innerJoin('imports as i', 'i.id', 'l.import_id')
              .selectAll('l')
              .select(['i.partner_id', 'i.key_id'])
              .select(
                sql<number>`row_number() over (partition by i.partner_id order by l.due_at, l.import_id, l.line)`.as(
                  'place',
                ),
              )
              .where('l.due_at', 'is not', null)
              .where('l.due_at', '<=', p.now)
              .as('due'),
          )
          .selectAll()
          .where('place', '<=', p.each)
          .orderBy('place'),
    ),
    importLineLease: storage.prepare<{ import_id: string; line: number; due_at: string; until: string }>(
      'import-line-lease',
      (db, p) =>
        db
          .updateTable('import_lines')
          .set({ due_at: p.until })
          .where('import_id', '=', p.import_id)
          .where('line', '=', p.line)
          .where('due_at', '=', p.due_at),
    ),
    /** Finds the line of a list that added a website, among those before `line`. */
    importLineBefore: storage.prepare<
      Pick<ImportLineRow, 'import_id' | 'line'> & { report_id: string },
      { line: number }
    >('import-line-before', (db, p) =>
      db
        .selectFrom('import_lines')
        .select('line')
        .where('import_id', '=', p.import_id)
        .where('line', '<', p.line)
        .where('report_id', '=', p.report_id)
        .where('outcome', '=', 'added')
        .orderBy('line')
        .limit(1),
    ),
    importLineDone: storage.prepare<
      Pick<ImportLineRow, 'import_id' | 'line' | 'outcome' | 'detail' | 'report_id'>
    >('import-line-done', (db, p) =>
      db
        .updateTable('import_lines')
        .set({ outcome: p.outcome, detail: p.detail, report_id: p.report_id, due_at: null })
        .where('import_id', '=', p.import_id)
        .where('line', '=', p.line),
    ),
    batchInsert: storage.prepare<Omit<Tables['relink_batches'], 'undone_at'>>('batch-insert', (db, p) =>
      db.insertInto('relink_batches').values({
        id: p.id,
        partner_id: p.partner_id,
        changes: p.changes,
        created_at: p.created_at,
      }),
    ),
    batchUndone: storage.prepare<{ id: string; at: string }>('batch-undone', (db, p) =>
      db
        .updateTable('relink_batches')
        .set({ undone_at: p.at })
        .where('id', '=', p.id)
        .where('undone_at', 'is', null),
    ),
  }
}

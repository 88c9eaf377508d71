import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openStorage, restoreSqlite, step } from '../../../src/core/storage/index.ts'
import { Database } from '../../support/sqlite.ts'

function now() {
  return new Date('2026-11-25T12:00:00.000Z')
}

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'membership-restore-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function open(file: string) {
  return openStorage({ url: `sqlite:${file}`, synchronous: 'full', pool: 1, now })
}
type Storage = Awaited<ReturnType<typeof open>>

async function put(storage: Storage, key: string): Promise<void> {
  const insert = storage.prepare<{ key: string }>('test-document', (db, p) =>
    db.insertInto('documents').values({ space: 'test', key: p.key, value: '{}' }),
  )
  await storage.commit([step(insert, { key }, 1)])
}
function keysIn(file: string): string[] {
  const database = new Database(file)
  const rows = database.prepare("select key from documents where space = 'test' order by key").all()
  database.close()
  return rows.map((row) => (row as { key: string }).key)
}

/** A site that was killed: its file and its write-ahead log as they lay when the process ended. */
async function crashed(t: ExecutionContext) {
  const folder = folderOf(t)
  const running = join(folder, 'running.db')
  const storage = await open(running)
  await put(storage, 'in the copy')
  const copy = join(folder, 'backup.db')
  const source = new Database(running)
  source.prepare('vacuum into ?').run(copy)
  source.close()
  for (let n = 0; n < 200; n++) await put(storage, `later ${n}`)
  const file = join(folder, 'site.db')
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(`${running}${end}`)) copyFileSync(`${running}${end}`, `${file}${end}`)
  await storage.close()
  return { folder, file, copy }
}

test('a copy is restored after a crash, and the old write-ahead log is not replayed onto it', async (t) => {
  const { file, copy } = await crashed(t)
  t.true(existsSync(`${file}-wal`))
  const restored = restoreSqlite(file, copy, now())
  t.true(restored.setAside.length > 0)
  for (const path of restored.setAside) t.true(existsSync(path))
  t.deepEqual(keysIn(file), ['in the copy'])
  const storage = await open(file)
  await put(storage, 'after')
  await storage.close()
  t.deepEqual(keysIn(file), ['after', 'in the copy'])
})

test('a database that a process uses cannot be restored', async (t) => {
  const { file, copy } = await crashed(t)
  const storage = await open(file)
  await put(storage, 'now')
  t.throws(() => restoreSqlite(file, copy, now()), { code: 'ERR_ACTION_REFUSED' })
  await put(storage, 'then')
  await storage.close()
  t.true(keysIn(file).includes('then'))
})

test('a damaged or unrelated copy is refused', async (t) => {
  const { folder, file, copy } = await crashed(t)
  const other = join(folder, 'other.db')
  writeFileSync(other, 'no database')
  for (const bad of [other, join(folder, 'missing.db')])
    t.throws(() => restoreSqlite(file, bad, now()), { code: 'ERR_USAGE' })
  t.true(existsSync(file))
  t.truthy(copy)
})

test('a deleted write-ahead log and an overwritten file are noticed', async (t) => {
  const { folder, copy } = await crashed(t)
  const file = join(folder, 'live.db')
  for (const harm of [
    () => rmSync(`${file}-wal`),
    () => {
      copyFileSync(copy, file)
    },
  ]) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    const storage = await open(file)
    for (let n = 0; n < 400; n++) await put(storage, `${n} ${'x'.repeat(2000)}`)
    await put(storage, 'seen')
    const checkpoint = new Database(file)
    checkpoint.pragma('wal_checkpoint(passive)')
    checkpoint.close()
    await put(storage, 'seen again')
    harm()
    const error = await t.throwsAsync(put(storage, 'lost'), { code: 'ERR_STORAGE' })
    t.regex(error!.message, /deleted|overwritten|disk I\/O error|malformed/)
    await storage.close().catch(() => undefined)
  }
})

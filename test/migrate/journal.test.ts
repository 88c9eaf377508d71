import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { isMembershipError, migrateSite } from '../../src/index.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import { takeBack } from '../../src/migrate/journal/merge.ts'
import { loader, programFile } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { thorough } from '../support/parts.ts'
import { onWrites } from '../support/writes.ts'

const config = 'site/config/config.php'
const v1 =
  "<?php\nreturn [\n    'debug' => true,\n    'membership.stripe.secret' => 's',\n    'a' => 1,\n];\n"
const v2 =
  "<?php\nreturn [\n    'debug' => true,\n    'membership.providers.stripe.secret' => 's',\n    'membership.provider.handler' => 'stripe',\n    'a' => 1,\n];\n"

/** A site in a folder of its own; `site` is where it lies. */
async function siteOf(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const site = join(await emptyFolder(t), 'site-folder')
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(site, file)), { recursive: true })
    await writeFile(join(site, file), text)
  }
  return site
}
function text(site: string, file = config) {
  return readFile(join(site, file), 'utf8')
}

/** Every file with its text and mode, the journal's folder left out. */
async function snapshot(site: string) {
  const names = await readdir(site, { recursive: true })
  const files: Record<string, string> = {}
  for (const name of names.filter((name) => !name.startsWith('.membership-migration'))) {
    const state = await stat(join(site, name))
    if (state.isFile()) files[name] = `${(state.mode & 0o7777).toString(8)} ${await text(site, name)}`
  }
  return files
}

test('a plan changes nothing, a write applies it, a rollback restores bytes and mode', async (t) => {
  const site = await siteOf(t, { [config]: v1, 'readme.txt': 'x' })
  await chmod(join(site, config), 0o640)
  const before = await snapshot(site)
  const { plan, written } = await migrateSite(site)
  t.is(plan?.changes.length, 1)
  t.is(written, null)
  t.deepEqual(await snapshot(site), before)

  const report = await migrateSite(site, { write: true })
  t.deepEqual(report.written?.written, [config])
  t.is(await text(site), v2)
  t.is((await stat(join(site, config))).mode & 0o7777, 0o640)
  t.is((await migrateSite(site, { write: true })).written, null)

  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rolledBack?.restored, [config])
  t.deepEqual(await snapshot(site), before)
})

test('backups are private, and lie in a folder that no web server shows', async (t) => {
  const site = await siteOf(t, { [config]: v1, 'public/index.php': '<?php' })
  const old = process.umask(0)
  t.teardown(() => process.umask(old))
  const { written } = await migrateSite(site, { write: true })
  t.is(dirname(written!.backup), join(site, '.membership-migration'))
  for (const name of await readdir(written!.backup, { recursive: true })) {
    const state = await stat(join(written!.backup, name))
    t.is(state.mode & 0o077, 0, name)
  }
})

test('backups lie beside the site if the site is the document root', async (t) => {
  const site = await siteOf(t, { [config]: v1, 'index.php': '<?php' })
  const { written } = await migrateSite(site, { write: true })
  t.is(dirname(written!.backup), join(dirname(site), '.membership-migration-site-folder'))
  t.deepEqual((await migrateSite(site, { rollback: true })).rolledBack?.restored, [config])
})

test('it refuses to store backups in a published folder, and says what to name', async (t) => {
  const site = await siteOf(t, {
    'html/config/membership.json': '{"membership.stripe.secret":"s"}',
    'index.html': '',
  })
  const inner = join(site, 'html')
  await writeFile(join(inner, 'index.php'), '<?php')
  const error = await t.throwsAsync(migrateSite(inner, { write: true }))
  t.true(isMembershipError(error, 'ERR_USAGE'))
  t.regex((error as unknown as { action: string }).action, /--backup/)
  await t.throwsAsync(migrateSite(inner, { write: true, backup: join(inner, 'backups') }), {
    message: /shown|show them/,
  })
  const elsewhere = join(dirname(site), 'kept')
  const { written } = await migrateSite(inner, { write: true, backup: elsewhere })
  t.is(dirname(written!.backup), elsewhere)
  t.is((await migrateSite(inner, { rollback: true, backup: elsewhere })).rolledBack?.restored.length, 1)
})

test('later changes on other lines are merged and kept', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  await migrateSite(site, { write: true })
  await writeFile(join(site, config), v2.replace("'a' => 1,", "'a' => 2,\n    'new' => 'kept',"))
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rolledBack?.merged, [config])
  t.is(await text(site), v1.replace("'a' => 1,", "'a' => 2,\n    'new' => 'kept',"))
})

test('a new value under a migrated key is kept under the old key', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  await migrateSite(site, { write: true })
  await writeFile(join(site, config), v2.replace("=> 's'", "=> 'rotated'"))
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.deepEqual(rolledBack?.merged, [config])
  t.is(await text(site), v1.replace("=> 's'", "=> 'rotated'"))
})

test('an unmergeable file is kept, with both versions side by side', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  await migrateSite(site, { write: true })
  await writeFile(join(site, config), "<?php return require 'other.php';\n")
  const { rolledBack } = await migrateSite(site, { rollback: true })
  const [kept] = rolledBack!.kept
  t.is(kept?.file, config)
  t.is(await readFile(kept!.current, 'utf8'), "<?php return require 'other.php';\n")
  t.is(await readFile(kept!.original, 'utf8'), v1)
  t.is(await text(site), "<?php return require 'other.php';\n")
})

test('a file deleted since stays deleted, and its old version is named', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  await migrateSite(site, { write: true })
  await rm(join(site, config))
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.is(await readFile(rolledBack!.kept[0]!.original, 'utf8'), v1)
  await t.throwsAsync(stat(join(site, config)))
})

test('a folder that became a link to elsewhere is never written through', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  const elsewhere = await emptyFolder(t)
  await writeFile(join(elsewhere, 'config.php'), v2)
  await migrateSite(site, { write: true })
  await rename(join(site, 'site/config'), join(site, 'site/config-old'))
  await symlink(elsewhere, join(site, 'site/config'))
  const { rolledBack } = await migrateSite(site, { rollback: true })
  t.is(rolledBack?.restored.length, 0)
  t.is(await readFile(join(elsewhere, 'config.php'), 'utf8'), v2)
  t.deepEqual(await readdir(elsewhere), ['config.php'])
})

test('a journal with paths outside the site is refused', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  const { written } = await migrateSite(site, { write: true })
  const journal = join(written!.backup, 'journal.jsonl')
  await writeFile(journal, (await readFile(journal, 'utf8')).replaceAll(config, '../outside.php'))
  const error = await t.throwsAsync(migrateSite(site, { rollback: true }))
  t.true(isMembershipError(error, 'ERR_STORAGE'))
})

test('nothing to roll back is an error', async (t) => {
  const site = await siteOf(t, { [config]: v2 })
  const error = await t.throwsAsync(migrateSite(site, { rollback: true }))
  t.true(isMembershipError(error, 'ERR_USAGE'))
})

test('two migrations of one site do not run at once', async (t) => {
  const site = await siteOf(t, { [config]: v1 })
  await mkdir(join(site, '.membership-migration'))
  // The parent of this process is alive and is not us.
  await writeFile(join(site, '.membership-migration/lock'), String(process.ppid))
  const error = await t.throwsAsync(migrateSite(site, { write: true }))
  t.regex(error!.message, /Another migration/)
  await writeFile(join(site, '.membership-migration/lock'), '999999999')
  t.is((await migrateSite(site, { write: true })).written?.written.length, 1)
})

const many = Object.fromEntries(
  Array.from({ length: 150 }, (_, i) => [
    `site/plugins/p${i}/config/config.php`,
    v1.replace("'a' => 1", `'a' => '${'x'.repeat(i * 20)}'`),
  ]),
)

/** Starts a run, kills it after so many milliseconds or at its nth write, and says whether it was stopped before its end. */
async function killed(
  what: string,
  site: string,
  at: { readonly milliseconds: number; readonly after?: 'begin' | 'writing' } | { readonly write: number },
): Promise<boolean> {
  const nth = 'write' in at ? [String(at.write)] : []
  const child = spawn(process.execPath, [...loader, programFile('migrate-crash'), what, site, ...nth], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const closed = once(child, 'close')
  if ('milliseconds' in at) {
    for (const ended = closed.then(() => true); !printed.includes(at.after ?? 'begin'); )
      if (await Promise.race([once(child.stdout, 'data').then(() => false), ended])) break
    await Promise.race([wait(at.milliseconds), closed])
    child.kill('SIGKILL')
  }
  await closed
  return !printed.includes('end')
}

function changedOf(before: Record<string, string>, after: Record<string, string>): number {
  return Object.keys(before).filter((file) => after[file] !== before[file]).length
}

test('killed at three of its writes, and once more while it goes back, a rollback gives v1 back byte for byte', async (t) => {
  const site = await siteOf(t, { ...many, 'public/index.php': '<?php' })
  const before = await snapshot(site)
  for (const write of [2, 75, 149]) {
    t.true(await killed('write', site, { write }))
    const changed = changedOf(before, await snapshot(site))
    t.true(changed > 0 && changed < 150, `${changed} files are written`)
    if (write === 75) t.true(await killed('rollback', site, { write: 20 }))
    await migrateSite(site, { rollback: true })
    t.deepEqual(await snapshot(site), before)
  }
})

thorough(test)('killed at 25 random moments, a rollback gives v1 back byte for byte', async (t) => {
  const round = 25
  const site = await siteOf(t, { ...many, 'public/index.php': '<?php' })
  const before = await snapshot(site)
  // How long it takes when nobody stops it: half of the kills are spread over that time, half over its writes.
  const begun = Date.now()
  let firstWrite = 0
  const unheard = onWrites(site, () => {
    firstWrite ||= Date.now()
  })
  await migrateSite(site, { write: true })
  unheard()
  const whole = Date.now() - begun
  const writing = Date.now() - firstWrite
  await migrateSite(site, { rollback: true })
  let [stopped, partly, tries] = [0, 0, 0]
  // On a busy machine a child is slower than that: then the kills come later, until one hits the midst.
  for (let i = 0; i < round || (partly === 0 && i < 4 * round); i++) {
    tries++
    const share = (2 ** Math.floor(i / round) * (i % round)) / round
    const at =
      i % 2 === 0
        ? { milliseconds: 1.5 * whole * share }
        : { milliseconds: writing * share, after: 'writing' as const }
    if (await killed('write', site, at)) stopped++
    const changed = changedOf(before, await snapshot(site))
    if (changed > 0 && changed < 150) partly++
    // Every third time the rollback is killed, too, and runs again.
    if (changed > 0 && i % 3 === 0) await killed('rollback', site, { milliseconds: (i * 53) % 200 })
    await migrateSite(site, { rollback: true }).catch((error) => {
      if (!isMembershipError(error, 'ERR_USAGE')) throw error
    })
    t.deepEqual(await snapshot(site), before)
  }
  t.log(`${tries} runs, ${stopped} killed before their end, ${partly} with some files written and some not`)
  t.true(stopped >= partly)
  t.true(partly > 0)
})

test('no added line is lost, and untouched text is v1 again', (t) => {
  const lines = fc.array(fc.constantFrom('added = 1\n', '# more\n', '\n'), { maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      fc.array(lines, { maxLength: 14 }),
      (keys, more) => {
        const original = keys
          .map((isKey, i) => (isKey ? `old.key${i}: ${i}\n` : `other${i}: ${i}\n`))
          .join('')
        const edits = keys.flatMap((isKey, i) => {
          const at = original.indexOf(`old.key${i}:`)
          return isKey ? [{ start: at, end: at + 3, text: 'new' }] : []
        })
        const written = applyEdits(original, edits).split(/(?<=\n)/)
        const current = written.map((line, i) => (more[i] ?? []).join('') + line).join('')
        const wanted = original
          .split(/(?<=\n)/)
          .map((line, i) => (more[i] ?? []).join('') + line)
          .join('')
        t.is(takeBack(original, edits, current), wanted)
      },
    ),
    { numRuns: 500, seed: 7 },
  )
})

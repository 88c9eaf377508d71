import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { membersCommand } from '../../src/cli/members-command.ts'
import { isMembershipError } from '../../src/core/errors.ts'
import { sqliteDatabases } from '../support/databases.ts'

const files = {
  'k1/index.php': "<?php return ['email' => 'Ida@Example.com', 'name' => 'Ida', 'role' => 'reader'];",
  'k1/.htpasswd': '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  'k1/user.txt': 'Stripe: {"customer":"cus_ida","purchases":["price_1"]}',
  'k2/index.php': "<?php return ['name' => 'Nobody'];",
}

/** Runs the command as the shell would and gives what it printed. */
async function run(...words: string[]): Promise<{ out: string; exitCode: number | string | undefined }> {
  const lines: string[] = []
  const { log } = console
  console.log = (...parts: unknown[]) => void lines.push(parts.join(' '))
  try {
    await membersCommand().parseAsync(words, { from: 'user' })
    return { out: lines.join('\n'), exitCode: process.exitCode }
  } finally {
    console.log = log
    process.exitCode = undefined
  }
}

async function site(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-command-'))
  const database = await sqliteDatabases()
  process.env.DATABASE_URL = await database.url()
  t.teardown(async () => {
    await rm(folder, { recursive: true, force: true })
    await database.close()
  })
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'site/accounts', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return folder
}

test.serial('the command previews, then imports when told, and then has nothing to do', async (t) => {
  const folder = await site(t)
  const dry = await run('import', folder)
  t.regex(
    dry.out,
    /\+ {2}site\/accounts\/k1 .*i…@example\.com .*reader {2}customer {2}access to 1 {2}password/,
  )
  t.regex(dry.out, /site\/accounts\/k2: The account has no e-mail address/)
  t.regex(dry.out, /2 accounts: 1 to create, 0 to complete, 0 unchanged, 1 left behind\./)
  t.regex(dry.out, /--write/)
  t.is(dry.exitCode, 1, 'an account was left behind')

  const wet = await run('import', folder, '--write')
  t.regex(wet.out, /2 accounts: 1 created, 0 completed, 0 unchanged, 1 left behind\./)
  t.notRegex(wet.out, /--write/)

  const again = await run('import', folder, '--write')
  t.regex(again.out, /2 accounts: 0 created, 0 completed, 1 unchanged, 1 left behind\./)
})

test.serial('for machines it prints one JSON document, without personal data', async (t) => {
  const folder = await site(t)
  const { out } = await run('import', folder, '--json', '--write')
  const report = JSON.parse(out) as { created: number; accounts: Record<string, unknown>[] }
  t.is(report.created, 1)
  t.deepEqual(report.accounts[0], {
    account: 'site/accounts/k1',
    outcome: 'created',
    member_id: 'k1',
    email: 'i…@example.com',
    roles: ['reader'],
    grants: 1,
    customer: true,
    password: true,
    troubles: [],
  })
  t.notRegex(out, /\$2y\$|cus_ida|ida@/i)
})

test.serial('a folder without accounts is refused with a suggestion', async (t) => {
  await site(t)
  const error = await t.throwsAsync(run('import', join(tmpdir(), 'no-such-site')))
  t.true(isMembershipError(error, 'ERR_USAGE'))
  t.regex((error as { action?: string }).action ?? '', /site\/accounts/)
})

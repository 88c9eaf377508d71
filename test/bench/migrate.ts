import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { median } from './events.ts'
import { onlyAbsolute, ratio, report } from './report.ts'

/**
 * A site of 20 000 files: 2 000 templates (one in ten asks for subscriptions), 10 000 accounts with
 * purchases, and 8 000 files of content, which a migration finds and leaves alone.
 */
function makeSite(folder: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  write(
    'site/config/config.php',
    "<?php\nreturn ['membership.stripe.secret' => env('S'), 'membership.manageUsers.role' => 'member'];\n",
  )
  write('site/blueprints/users/member.yml', 'title: Member\nfields:\n  city:\n    type: text\n')
  for (let i = 0; i < 2000; i++)
    write(
      `site/templates/t${i % 40}/page-${i}.php`,
      `<?php snippet('header') ?>\n<main>\n${'  <p class="text"><?= $page->text()->kt() ?></p>\n'.repeat(40)}${
        i % 10 === 0
          ? "<?php foreach ($kirby->user()->subscriptions() as $s): ?><li><?= $s['items']['data'][0]['price']['id'] ?></li><?php endforeach ?>\n"
          : ''
      }</main>\n`,
    )
  for (let i = 0; i < 10_000; i++) {
    write(
      `site/accounts/a${i}/user.txt`,
      `Title: Member ${i}\n\n----\n\nBio:\n\n${'Some words about a life. '.repeat(30)}\n\n----\n\nStripe:\n\ncustomer: cus_${i}\npurchases:\n  - id: pi_${i}\n    price: price_gold\n    amount: 900\n`,
    )
  }
  for (let i = 0; i < 8000; i++)
    write(
      `content/${i % 200}/note-${i}/note.txt`,
      `Title: Note ${i}\n\n----\n\nText:\n\n${'Words. '.repeat(200)}\n`,
    )
}

function inChild(
  what: 'read' | 'plan',
  folder: string,
): { seconds: number; megabytes: number; said: string } {
  return JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, 'migrate-child.mjs'), what, folder], {
      encoding: 'utf8',
    }),
  )
}

/** Planning a large site against reading its files, each in processes of their own, in turns. */
export function benchMigrate(folder: string, rounds: number): void {
  process.stderr.write('  a site of 20 000 files …        \r')
  makeSite(folder)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const bytes = files.reduce((sum, file) => sum + readFileSync(join(file.parentPath, file.name)).length, 0)
  const runs = Array.from({ length: rounds }, () => ({
    read: inChild('read', folder),
    plan: inChild('plan', folder),
  }))
  const seconds = (what: 'read' | 'plan') => median(runs.map((r) => r[what].seconds))
  const megabytes = (what: 'read' | 'plan') => Math.max(...runs.map((r) => r[what].megabytes))
  report(
    'migrate',
    'Migration',
    `Planning a site of ${files.length} files (${(bytes / 1e6).toFixed(0)} MB) takes ${ratio(seconds('plan') / seconds('read'))} times as long as reading them. It needs ${megabytes('plan')} MB at most, and reading ${megabytes('read')} MB. It says: ${runs[0]!.plan.said}.`,
    ...onlyAbsolute(`It takes ${seconds('plan').toFixed(2)} seconds.`),
  )
}

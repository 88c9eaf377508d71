import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backupFolder, documentRoot, type Plan, shortPrefix } from '../../migrate/index.ts'
import { type Check, found, ok } from './check.ts'
import { checkSettings, type FolderInput } from './folder-settings.ts'

const blueprintFolders = ['blueprints/users', 'site/blueprints/users']
// Further findings of one kind are only counted.
const listed = 20

/** Checks a site's folder. `settings` is null when the site's configuration was checked already. */
export function checkFolder(plan: Plan, settings: FolderInput | null): Check[] {
  const missing = isSite(plan, settings)
  if (missing.length > 0) return missing
  return [
    ...leftovers(plan),
    ...hiddenField(plan),
    ...(settings === null ? [] : checkSettings(settings)),
    ...environmentFiles(plan.root),
    ...backups(plan.root),
  ]
}

/** Warns about a folder that holds no site, because passing every check there would mean nothing. */
function isSite({ root, files }: Plan, settings: FolderInput | null): Check[] {
  return settings === null || settings.all.length > 0 || files > 0
    ? []
    : [
        found(
          'problem',
          'no-site',
          `There is no site in ${root}: no configuration, no blueprint, no template and no account was found.`,
          'Name the folder of the site: membership doctor path/to/site',
        ),
      ]
}

const lookAt = 'Look at it; what is right as it is gets a comment with the words "membership: looked at".'

function leftovers(plan: Plan): Check[] {
  const changes = plan.changes.map(({ file, summary }) =>
    found(
      'problem',
      'leftover',
      `Something of version 1 is left: ${summary.join('; ')}.`,
      'Run: membership migrate',
      { file },
    ),
  )
  const decisions = plan.decisions
    .filter(({ level }) => level !== 'know')
    .map(({ level, reason, replacement, file, line }) =>
      level === 'decide'
        ? found('problem', 'undecided', reason, `Write: ${replacement}`, { file, line })
        : found('problem', 'unproven', reason, lookAt, { file, line }),
    )
  const skipped = plan.skipped
    .filter(({ mayHoldV1 }) => mayHoldV1)
    .map(({ file, reason }) =>
      found('problem', 'unproven', `This was not looked at: ${reason}.`, 'Look at it by hand.', { file }),
    )
  const all = [...changes, ...decisions, ...skipped]
  if (all.length === 0) return [ok('leftover', 'Nothing of version 1 is left.')]
  const rest = all.length - listed
  return rest <= 0
    ? all
    : [
        ...all.slice(0, listed),
        found('problem', 'leftover', `And ${rest} more.`, 'See all of them with: membership migrate'),
      ]
}

/**
 * Checks that the member blueprint hides the provider's data from everything but the site's code. A site
 * without blueprints has no such field.
 */
export function hiddenField({ root, changes, decisions, facts }: Plan): Check[] {
  const isLeft =
    changes.some(
      ({ part, summary }) =>
        part === 'blueprints' && summary.some((line) => /hidden field|closed to/.test(line)),
    ) || decisions.some(({ part, code }) => part === 'blueprints' && /field|blueprint/.test(code))
  if (isLeft)
    return [
      found(
        'problem',
        'hidden-field',
        `The member blueprint lacks the hidden field "${facts.field}", or it is open to its member.`,
        `Add it: ${facts.field}: { type: hidden, ${shortPrefix(facts)}: false }`,
      ),
    ]
  return blueprintFolders.some((folder) => existsSync(join(root, folder)))
    ? [ok('hidden-field', `The hidden field "${facts.field}" is where it belongs.`)]
    : []
}

function environmentFiles(root: string): Check[] {
  const shown = documentRoot(root)
  return [...new Set([root, join(root, 'site'), ...(shown ? [shown] : [])])].flatMap((folder) => {
    const path = join(folder, '.env')
    if (!existsSync(path)) return []
    const file = path.slice(root.length + 1)
    if (shown === folder)
      return [
        found(
          'warning',
          'env-shown',
          'A .env file lies where the web server may show it.',
          'Move it above the document root, or make sure that the server refuses it.',
          { file },
        ),
      ]
    // Windows has no such permission bits.
    const isOpen = process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0
    return isOpen
      ? [
          found(
            'warning',
            'env-readable',
            'Every user of this machine may read the .env file.',
            `chmod 640 ${file}`,
            { file },
          ),
        ]
      : []
  })
}

function backups(root: string): Check[] {
  const folder = attempt(() => backupFolder(root))
  return folder !== null && existsSync(folder)
    ? [
        found(
          'warning',
          'backups',
          `The migration's backups are still there: ${folder}. They hold what the files held, secrets too.`,
          'Delete the folder when the site is as it should be; after that there is no rollback.',
        ),
      ]
    : []
}

function attempt(run: () => string): string | null {
  try {
    return run()
  } catch {
    return null
  }
}

import { accessSync, constants, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { MembershipError } from '../../core/errors.ts'

const shownFolders = ['public', 'public_html', 'htdocs', 'www', 'web']

/** Finds the folder that a site's web server publishes; null if there is none. */
export function documentRoot(root: string): string | null {
  for (const name of shownFolders) if (isShown(join(root, name))) return join(root, name)
  return isShown(root) ? root : null
}

function isShown(folder: string): boolean {
  return ['index.php', 'index.html', '.htaccess'].some((file) => existsSync(join(folder, file)))
}

/**
 * Returns the folder for a migration's backups, which is never one that a web server publishes. The same site
 * always gets the same folder, so that a rollback finds it. `wanted` is a folder that the admin chose; `name`
 * tells the journals of several commands apart.
 * @throws ERR_USAGE when the place would be published, or is not writable
 */
export function backupFolder(root: string, wanted?: string, name = '.membership-migration'): string {
  const shown = documentRoot(root)
  if (wanted !== undefined) {
    const folder = realpathOf(resolve(wanted))
    if (shown !== null && isInside(shown, folder)) throw wouldBeShown(folder)
    return folder
  }
  if (shown !== root) return join(root, name)
  const parent = dirname(root)
  const folder = join(parent, `${name}-${basename(root)}`)
  if (parent === root || ancestors(root).some(looksShown)) throw wouldBeShown(folder)
  if (!existsSync(folder) && !canWrite(parent))
    throw new MembershipError(
      'ERR_USAGE',
      `The backups cannot be kept beside the site: ${parent} cannot be written.`,
      {
        action: 'Name a folder that is not shown by the web server: --backup /path/to/backups',
      },
    )
  return folder
}

/** Creates the folder, readable by its owner only. @throws ERR_USAGE */
export function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Backups contain secrets and accounts, so they must not be committed.
    const ignore = join(folder, '.gitignore')
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: 0o600 })
  } catch (cause) {
    throw new MembershipError('ERR_USAGE', `The folder for backups cannot be made: ${folder}.`, {
      action: 'Name another one: --backup /path/to/backups',
      cause,
    })
  }
}

/** Returns true if `inner` is `outer` or lies below it. */
export function isInside(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

function ancestors(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...ancestors(parent)]
}

function looksShown(folder: string): boolean {
  return isShown(folder) || shownFolders.includes(basename(folder))
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Resolves the links of the existing part; the rest is created later.
function realpathOf(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder
    ? realpathSync(folder)
    : join(realpathOf(dirname(folder)), basename(folder))
}

function wouldBeShown(folder: string): MembershipError {
  return new MembershipError(
    'ERR_USAGE',
    `The backups would lie where the web server may show them to everybody: ${folder}.`,
    { action: 'Name a folder outside of the document root: --backup /path/to/backups' },
  )
}

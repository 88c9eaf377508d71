import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { MembershipError } from '../core/errors.ts'
import type { Part, Skipped } from './plan.ts'

/** A file of the site, and its part of the migration. */
export interface Found {
  /** Path below the site's folder, with forward slashes. */
  readonly file: string
  readonly part: Part | 'database' | 'data' | 'script' | 'text'
}

/** A site's files that a migration reads, and those that it skips. */
export interface Finds {
  readonly root: string
  readonly found: readonly Found[]
  readonly skipped: readonly Skipped[]
}

// Third-party code, files that a site can generate again, and version control.
const foreignAnywhere = new Set(['node_modules', 'vendor'])
const foreignPlaces =
  /^(?:(?:public|public_html|htdocs|www|web)\/)?(?:kirby|media|dist)$|^(?:(?:site|storage|var)\/)?(?:cache|sessions|logs)$/

// Pages and files of the site, without code, keys and accounts.
const files = /(?:^|\/)(?:content|assets|uploads?|images?|files|fonts|thumbs)$/

const configTypes = /\.(php|jsonc?|ya?ml|[cm]?[jt]s)$/
const codeTypes =
  /\.(php\d?|phps|phtml|inc|module|install|theme|profile|tpl|[cm]?[jt]sx?|eta|ejs|twig|latte|liquid|hbs|handlebars|mustache|njk|jinja2?|j2|vue|svelte|astro|mdx|pug|html?)$/i
// Mails, pages and queries: searched for fields of a subscription, never changed.
const textTypes = /\.(txt|md|markdown|graphql|gql|kql|mjml)$/i
// Other files that may contain keys and accounts: searched, never changed.
const dataTypes = /\.(json[5cl]?|ndjson|ya?ml|neon|toml|ini)$/

// Files that build, start and test a site. They name environment variables, and are searched only for those.
const scripts =
  /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|mk|service|conf|tf|tfvars|hcl|nix)$|^(?:(?:Docker|Container)file|Procfile)(?:\..+)?$|\.dockerfile$|^(?:GNUmakefile|[Mm]akefile|Jenkinsfile|[Jj]ustfile|package\.json|\.envrc|\.htaccess)$/
const scriptFolders = /^(?:bin|scripts?|deploy)$/
const toolFolders =
  /^\.(?:github|gitlab|gitea|forgejo|circleci|buildkite|woodpecker|ddev|devcontainer|docker|kamal|husky|platform|do)$/

/**
 * Lists the files that a migration has to read. Links are not followed, so nothing outside the folder is
 * touched, and a loop of links is harmless. O(files).
 * @throws ERR_USAGE when there is no such folder
 */
export function findFiles(folder: string): Finds {
  const root = rootOf(folder)
  const found: Found[] = []
  const skipped: Skipped[] = []
  const open = ['']
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const entry of entriesOf(root, below, skipped)) {
      const file = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isSymbolicLink()) skipLink(root, file, skipped)
      else if (entry.isDirectory()) {
        if (!isForeign(file)) open.push(file)
      } else if (entry.isFile()) {
        const part = partOf(file)
        if (part !== null) found.push({ file, part })
      }
    }
  }
  found.sort((a, b) => (a.file < b.file ? -1 : 1))
  return { root, found, skipped }
}

/** Returns the part that a file belongs to, by its name and folder; null for other files. */
export function partOf(file: string): Found['part'] | null {
  const segments = file.split('/')
  const name = segments.at(-1)!
  const folders = segments.slice(0, -1)
  if (/^\.env(\..+)?$/.test(name)) return 'env'
  if (folders.some((folder) => toolFolders.test(folder)))
    return scripts.test(name) || dataTypes.test(name) || !name.includes('.') ? 'script' : null
  // Windows stores a folder's thumbnails in a file of that name.
  if (/\.(sqlite3?|db)$/.test(name)) return name === 'Thumbs.db' ? null : 'database'
  if (folders.includes('accounts') && /\.(txt|json|ya?ml)$/.test(name)) return 'accounts'
  // Login data of an account: there is one for each account, and nothing in it changes.
  if (folders.at(-2) === 'accounts' && name === 'index.php') return null
  if (folders.includes('blueprints') && /\.ya?ml$/.test(name)) return 'blueprints'
  if (isConfig(folders, name)) return 'config'
  if (codeTypes.test(name)) return 'templates'
  if (scripts.test(name) || (!name.includes('.') && scriptFolders.test(folders.at(-1) ?? ''))) return 'script'
  if (textTypes.test(name)) return 'text'
  return dataTypes.test(name) && !/(?:^package|[-.]lock)\b.*\.\w+$/.test(name) ? 'data' : null
}

function isConfig(folders: readonly string[], name: string): boolean {
  if (!configTypes.test(name) || /\.d\.[cm]?ts$/.test(name)) return false
  const folder = folders.at(-1)
  if (folder === 'config') return true
  // A single file at the site's root: membership.yml, membership.config.ts
  return folders.length === 0 && /^membership(\.[\w.-]+)?\.\w+$/.test(name)
}

function isForeign(folder: string): boolean {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  return (
    foreignAnywhere.has(name) ||
    foreignPlaces.test(folder) ||
    (name.startsWith('.') && !toolFolders.test(name))
  )
}

/** Resolves the links of a site's folder. @throws ERR_USAGE when there is none */
export function rootOf(folder: string): string {
  try {
    const root = realpathSync(folder)
    if (statSync(root).isDirectory()) return root
  } catch {
    // The error is thrown below.
  }
  throw new MembershipError('ERR_USAGE', `There is no folder "${folder}".`, {
    action: 'Name the folder of the site: membership migrate path/to/site',
  })
}

function entriesOf(root: string, below: string, skipped: Skipped[]): Dirent[] {
  try {
    return readdirSync(join(root, below), { withFileTypes: true })
  } catch (error) {
    if (below === '')
      throw new MembershipError('ERR_USAGE', `The folder cannot be read: ${codeOf(error)}.`, {
        action: 'Run the command as a user that may read the site.',
        cause: error,
      })
    skipped.push({ file: below, reason: `cannot be read: ${codeOf(error)}`, mayHoldV1: true })
    return []
  }
}

// A link inside the folder points to a file that is found by its own name; one that leads outside is
// reported.
function skipLink(root: string, file: string, skipped: Skipped[]): void {
  if (partOf(file) === null && /\.\w+$/.test(file)) return
  try {
    const target = realpathSync(join(root, file))
    const inside = target === root || target.startsWith(root + sep)
    if (!inside)
      skipped.push({
        file,
        reason: 'a link to outside of the folder',
        mayHoldV1: !isForeign(file) && !files.test(file),
      })
    else if (isForeign(relative(root, target).split(sep).join('/')))
      skipped.push({ file, reason: 'a link to a folder that is left alone', mayHoldV1: false })
  } catch {
    skipped.push({ file, reason: 'a link that leads nowhere or in a circle', mayHoldV1: false })
  }
}

/** Returns the system's code for a failure: EACCES, ENOENT, … */
export function codeOf(error: unknown): string {
  return (
    (error as NodeJS.ErrnoException | null)?.code ?? (error instanceof Error ? error.message : String(error))
  )
}

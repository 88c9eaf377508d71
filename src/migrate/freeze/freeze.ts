import { existsSync, lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { documentRoot } from '../journal/index.ts'
import { type SiteFacts, shortPrefix } from '../plan.ts'

/** The plan to refuse a site's webhooks, or to accept them again. */
export interface Freeze {
  /** Files that have the guard, or would get it, below the folder. */
  readonly files: readonly string[]
  /** Files that changed now. */
  readonly changed: readonly string[]
  readonly isFrozen: boolean
  /** Advice if no file of the site decides. */
  readonly byHand: readonly { readonly server: string; readonly text: string }[]
}

/**
 * Makes version 1 answer 503 to webhooks, so that providers send them again later. It inserts a marked piece
 * at the beginning of its front controller, or, if impossible, in `.htaccess`. Without `write` it only shows
 * where. A file is replaced in one step, so an aborted run leaves it complete. Repeating it changes nothing.
 * @throws ERR_USAGE
 */
export function freezeSite(folder: string, facts: SiteFacts, { write }: { write: boolean }): Freeze {
  const root = resolve(folder)
  const places = placesIn(root, facts)
  const isFrozen = places.some(({ text, guard }) => text.includes(guard.begin))
  const [first] = places
  const changed = write && !isFrozen && first ? [first] : []
  for (const { path, text, guard, at } of changed)
    replace(path, `${text.slice(0, at)}${guard.text}${text.slice(at)}`)
  const frozen = places.filter(({ text, guard }) => text.includes(guard.begin))
  const files = (isFrozen ? frozen : first ? [first] : []).map(({ path }) => relative(root, path))
  return {
    files,
    changed: changed.map(({ path }) => relative(root, path)),
    isFrozen: isFrozen || changed.length > 0,
    byHand: files.length > 0 ? [] : byHand(facts),
  }
}

/** Removes the guard; every other byte stays. */
export function unfreezeSite(folder: string, facts: SiteFacts): Freeze {
  const root = resolve(folder)
  const frozen = placesIn(root, facts).filter(({ text, guard }) => text.includes(guard.text))
  for (const { path, text, guard } of frozen)
    replace(
      path,
      text.replace(guard.text, () => ''),
    )
  const files = frozen.map(({ path }) => relative(root, path))
  return { files, changed: files, isFrozen: false, byHand: files.length > 0 ? [] : byHand(facts) }
}

interface Place {
  readonly path: string
  readonly text: string
  readonly guard: Guard
  /** Offset of the insertion. */
  readonly at: number
}

function placesIn(root: string, facts: SiteFacts): Place[] {
  const shown = documentRoot(root)
  if (shown === null)
    throw new MembershipError('ERR_USAGE', `Nothing in ${root} is what a web server shows.`, {
      action: 'Name the folder of the site, the one with index.php in it or in its public folder.',
    })
  return [
    inFrontController(join(shown, 'index.php'), facts),
    inApache(join(shown, '.htaccess'), facts),
  ].flatMap((place) => place ?? [])
}

function inFrontController(path: string, facts: SiteFacts): Place | null {
  const text = textOf(path)
  const opening = text === null ? null : /^(?:#![^\n]*\n)?<\?php(?=\s)/.exec(text)
  // Some declarations must come first in a file.
  if (text === null || opening === null || /^\s*(declare\s*\(|namespace\s)/m.test(text)) return null
  return { path, text, guard: phpGuard(facts), at: opening[0].length }
}

function inApache(path: string, facts: SiteFacts): Place | null {
  const text = textOf(path)
  return text === null ? null : { path, text, guard: apacheGuard(facts), at: 0 }
}

function textOf(path: string): string | null {
  if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return null
  // Byte for byte, in any encoding.
  return readFileSync(path, 'latin1')
}

function replace(path: string, text: string): void {
  const beside = `${path}.membership-${process.pid}`
  try {
    writeFileSync(beside, text, { encoding: 'latin1', mode: statSync(path).mode })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw new MembershipError('ERR_USAGE', `${path} could not be written. Nothing was changed.`, {
      action: 'Run it as the user that owns the file.',
      cause: error,
    })
  }
}

/** A piece of text that makes a server refuse webhooks, with the marks that find it again. */
export interface Guard {
  readonly text: string
  readonly begin: string
  readonly end: string
}

/** Seconds after which a provider may retry; each follows its own schedule. */
const retryAfterSeconds = 600

/** Returns the path below which version 1 accepts webhooks, as servers and patterns write it. */
export function webhookPath(facts: SiteFacts): string {
  return `/${shortPrefix(facts)}/webhooks/`
}

/** Builds the guard for the front controller: it answers before anything of the site is loaded. */
export function phpGuard(facts: SiteFacts): Guard {
  const begin = '/* membership freeze: begin */'
  const end = '/* membership freeze: end */'
  const code =
    `if (strpos(rawurldecode((string) ($_SERVER['REQUEST_URI'] ?? '')), '${webhookPath(facts)}') !== false) ` +
    `{ http_response_code(503); header('Retry-After: ${retryAfterSeconds}'); exit; }`
  return { begin, end, text: ` ${begin} ${code} ${end}` }
}

/**
 * Builds the guard for `.htaccess`. A status that is no redirect ends the rules:
 * https://httpd.apache.org/docs/2.4/rewrite/flags.html#flag_r
 */
export function apacheGuard(facts: SiteFacts): Guard {
  const begin = '# membership freeze: begin'
  const end = '# membership freeze: end'
  const path = webhookPath(facts).slice(1).replace(/\./g, '\\.')
  return {
    begin,
    end,
    text: [begin, 'RewriteEngine On', `RewriteRule (^|/)${path} - [R=503,L]`, `${end}\n`].join('\n'),
  }
}

/** Returns the lines for a server whose configuration lies outside the site. */
export function byHand(facts: SiteFacts): readonly { server: string; text: string }[] {
  const path = webhookPath(facts)
  return [
    {
      server: 'nginx, in the server block, then: nginx -s reload',
      text: `location ^~ ${path} { add_header Retry-After ${retryAfterSeconds} always; return 503; }`,
    },
    {
      server: 'Caddy, in the site’s block, then: caddy reload',
      text: `handle ${path}* {\n  header Retry-After ${retryAfterSeconds}\n  respond 503\n}`,
    },
  ]
}

import { existsSync, lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { documentRoot } from '../journal/index.ts'
import type { SiteFacts } from '../plan.ts'
import { apacheGuard, byHand, type Guard, phpGuard } from './guard.ts'

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

/** Makes version 1 answer 503 to webhooks, so that providers send them again later. It inserts a marked
 *  piece at the beginning of its front controller, or, if impossible, in `.htaccess`. Without `write` it
 *  only shows where. A file is replaced in one step, so an aborted run leaves it complete. Repeating it
 *  changes nothing. @throws ERR_USAGE */
export const freezeSite = (folder: string, facts: SiteFacts, { write }: { write: boolean }): Freeze => {
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
export const unfreezeSite = (folder: string, facts: SiteFacts): Freeze => {
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

const placesIn = (root: string, facts: SiteFacts): Place[] => {
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

const inFrontController = (path: string, facts: SiteFacts): Place | null => {
  const text = textOf(path)
  const opening = text === null ? null : /^(?:#![^\n]*\n)?<\?php(?=\s)/.exec(text)
  // Some declarations must come first in a file.
  if (text === null || opening === null || /^\s*(declare\s*\(|namespace\s)/m.test(text)) return null
  return { path, text, guard: phpGuard(facts), at: opening[0].length }
}

const inApache = (path: string, facts: SiteFacts): Place | null => {
  const text = textOf(path)
  return text === null ? null : { path, text, guard: apacheGuard(facts), at: 0 }
}

const textOf = (path: string): string | null => {
  if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return null
  // Byte for byte, in any encoding.
  return readFileSync(path, 'latin1')
}

const replace = (path: string, text: string): void => {
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

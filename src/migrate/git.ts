import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { dirname } from 'node:path'

/**
 * Lists the files of a folder with uncommitted changes. It is read-only, and runs nothing that the folder's
 * own configuration names: no monitor, hook or filter. Empty without a repository, without git, or after a
 * timeout.
 */
export async function uncommitted(root: string): Promise<string[]> {
  const filters = await git(root, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'])
  if (filters === null) return []
  const off = (filters.split('\0').filter(Boolean) as string[]).map((key): [string, string] => [
    key,
    /\.required$/i.test(key) ? 'false' : '',
  ])
  const status = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=all', '--', '.']
  const answer = await git(root, status, off)
  return (answer ?? '').split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3)] : []))
}

/** Returns git's output; null on failure. Exit code 1 only means that there is no filter key. */
function git(
  root: string,
  args: readonly string[],
  settings: readonly [string, string][] = [],
): Promise<string | null> {
  return new Promise((done) => {
    execFile(
      'git',
      ['--no-optional-locks', '--no-pager', '-C', root, ...args],
      // Runs from a folder of our own, so that a program in the site's folder is never found.
      { cwd: dirname(process.execPath), env: envOf(settings), timeout: 5000, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout) => done(error === null || error.code === 1 ? stdout : null),
    )
  })
}

// Keys may contain an equals sign, so they are passed in the environment and not by -c.
function envOf(settings: readonly [string, string][]): NodeJS.ProcessEnv {
  const all = [...harmless, ...settings]
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name))
  const given = all.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return {
    ...Object.fromEntries([...own, ...given]),
    GIT_CONFIG_COUNT: String(all.length),
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  }
}

const harmless: readonly [string, string][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['protocol.allow', 'never'],
  ['status.submoduleSummary', 'false'],
]

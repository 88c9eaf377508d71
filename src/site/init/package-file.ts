import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { packageFolder } from '../../core/package-folder.ts'
import type { InitAnswers, InitHost } from './answers.ts'

/** Fields of a package.json that are read and kept. */
export interface Manifest {
  name?: string
  type?: string
  main?: string
  packageManager?: string
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const hostPackages: Record<InitHost, { runs: Record<string, string>; types: Record<string, string> }> = {
  koa: { runs: { koa: '^3.3.0' }, types: { '@types/koa': '^3.0.3' } },
  express: { runs: { express: '^5.3.0' }, types: { '@types/express': '^5.0.6' } },
  fastify: { runs: { fastify: '^5.12.8' }, types: {} },
  hono: { runs: { hono: '^4.13.19', '@hono/node-server': '^1.19.19' }, types: {} },
  next: {
    runs: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
    types: { '@types/react': '^19.0.0' },
  },
  node: { runs: {}, types: {} },
}

/** Recognises the host by a folder's packages. */
export function hostAmong(packageJson: string | null): InitHost | null {
  const { dependencies = {} } = manifestOf(packageJson)
  const known = Object.entries(hostPackages).filter(([host]) => host !== 'node' && host in dependencies)
  return (known[0]?.[0] as InitHost | undefined) ?? null
}

/** Returns package.json with everything the new files need. Existing entries stay. */
export function packageFile(
  before: string | null,
  answers: InitAnswers,
  needs: {
    readonly packages: readonly string[]
    readonly start: string
    readonly name: string
    readonly tarball: string | null
  },
): string {
  const given = manifestOf(before)
  const { runs, types } = hostPackages[answers.host]
  const isNext = answers.host === 'next'
  const own = ownManifest()
  const optional = Object.fromEntries(needs.packages.map((name) => [name, own.peerDependencies[name] ?? '*']))
  const made: Manifest = {
    ...(before === null ? { name: needs.name, private: true, type: 'module' } : {}),
    ...given,
    scripts: {
      ...(isNext ? { dev: 'next dev', build: 'next build', start: 'next start' } : { start: needs.start }),
      ...given.scripts,
    },
    dependencies: sorted(
      {
        membership: needs.tarball === null ? `^${own.version}` : `file:${basename(needs.tarball)}`,
        ...runs,
        ...optional,
      },
      given.dependencies,
    ),
    devDependencies: sorted(
      { typescript: '^5.9.3', '@types/node': '^20.19.43', ...types, tsx: '^4.23.15' },
      given.devDependencies,
    ),
  }
  return `${JSON.stringify(made, null, indentOf(before))}\n`
}

/** Returns true if Node treats the folder's `.ts` files as modules. */
export function isModule(packageJson: string | null): boolean {
  return packageJson === null || manifestOf(packageJson).type === 'module'
}

/** Parses a package.json; null stands for an empty one. @throws ERR_USAGE */
export function manifestOf(text: string | null): Manifest {
  if (text === null) return {}
  try {
    return JSON.parse(text) as Manifest
  } catch (cause) {
    throw new MembershipError('ERR_USAGE', 'The package.json of this folder is no JSON.', {
      action: 'Correct it, or choose another folder.',
      cause,
    })
  }
}

/** Returns the tarball that npx took this package from, so that the new site installs the same; null for a registry. */
export function ownTarball(): string | null {
  const above = join(packageFolder(), '..', '..')
  const file = join(above, 'package.json')
  const from = existsSync(file) ? manifestOf(readFileSync(file, 'utf8')).dependencies?.membership : undefined
  if (!from?.startsWith('file:') || !from.endsWith('.tgz')) return null
  const tarball = resolve(above, from.slice('file:'.length))
  return existsSync(tarball) ? tarball : null
}

/** Reports if a folder is a site of this package already. */
export function isSite(packageJson: string | null): boolean {
  return 'membership' in (manifestOf(packageJson).dependencies ?? {})
}

/** Returns the file that `npm start` runs, or null if it names none. */
export function startedFile(packageJson: string): string | null {
  return (
    /(?:^|\s)([\w./-]+\.[cm]?[jt]s)(?=\s|$)/.exec(manifestOf(packageJson).scripts?.start ?? '')?.[1] ?? null
  )
}

/** Returns what this package's own package.json says. */
export function ownManifest() {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
    version: string
    peerDependencies: Record<string, string>
  }
}

// Versions that the site chose stay.
function sorted(ours: Record<string, string>, theirs: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...ours, ...theirs }).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function indentOf(text: string | null): string {
  return /^([ \t]+)"/m.exec(text ?? '')?.[1] ?? '  '
}

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { findFiles, rootOf } from '../../migrate/find.ts'
import { type Manifest, manifestOf } from '../init/index.ts'

/** Hosts that `add` recognises, the most specific first: Payload runs on Next, and Nest on Express. */
export const addHosts = [
  ...(['payload', 'strapi', 'nest', 'nuxt', 'astro', 'sveltekit', 'react-router', 'next'] as const),
  ...(['koa', 'express', 'fastify', 'hono'] as const),
] as const
export type AddHost = (typeof addHosts)[number]

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

/** A project on the disk, as `add` sees it. */
export interface Project {
  /** Absolute path, without links. */
  readonly root: string
  readonly packageJson: string
  readonly manifest: Manifest
  readonly packageManager: PackageManager
  /** True if it has a tsconfig.json. */
  readonly isTypeScript: boolean
  /** Returns a file's text; null if there is none. */
  readonly read: (path: string) => string | null
  /** Files of code, without tests and what a build wrote. */
  readonly sources: readonly string[]
}

/**
 * Reads a project. Nothing of it is executed.
 * @throws ERR_USAGE without a package.json, or if the project has memberships already
 */
export function readProject(folder: string): Project {
  const root = rootOf(folder)
  const read = (path: string): string | null =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null
  const packageJson = read('package.json')
  if (packageJson === null)
    throw new MembershipError('ERR_USAGE', `There is no package.json in ${root}, so no project to add to.`, {
      action: 'Go to the folder of your project. For a new site: membership init',
    })
  const sources = findFiles(root)
    .found.map(({ file }) => file)
    .filter((file) => isCode.test(file) && !isNoSource.test(file))
  const there = sources.find((file) => ours.test(file))
  if (there !== undefined)
    throw new MembershipError('ERR_USAGE', `This project has memberships already: ${there}.`, {
      action: 'To check it: membership doctor. To take out what add wrote: membership add --rollback',
    })
  const manifest = manifestOf(packageJson)
  return {
    root,
    packageJson,
    manifest,
    read,
    sources,
    packageManager: packageManagerOf(root, manifest),
    isTypeScript: existsSync(join(root, 'tsconfig.json')),
  }
}

const isCode = /\.[cm]?[jt]sx?$/
const isNoSource = /(?:^|\/)(?:build|dist|out|coverage|tests?|__tests__)\/|\.(?:d|test|spec)\.[cm]?[jt]sx?$/
const ours = /(?:^|\/)membership(?:\.config|-host)\.[cm]?[jt]s$/

/** Recognises the host by the packages of a project; all of them where several answer requests. */
export function hostsOf({ manifest }: Project): AddHost[] {
  const packages = { ...manifest.devDependencies, ...manifest.dependencies }
  const found = addHosts.filter((host) => hostPackages[host] in packages)
  const [first] = found
  // What a framework is built on is no host of its own.
  return first === undefined || servers.has(first) ? found : [first]
}

/** Returns the range that a project asks for; undefined if it does not have the package. */
export function rangeOf({ manifest }: Project, name: string): string | undefined {
  return manifest.dependencies?.[name] ?? manifest.devDependencies?.[name]
}

const servers = new Set<AddHost>(['koa', 'express', 'fastify', 'hono'])

const hostPackages: Readonly<Record<AddHost, string>> = {
  payload: 'payload',
  strapi: '@strapi/strapi',
  nest: '@nestjs/core',
  nuxt: 'nuxt',
  astro: 'astro',
  sveltekit: '@sveltejs/kit',
  'react-router': '@react-router/dev',
  next: 'next',
  koa: 'koa',
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
}

const lockFiles: Readonly<Record<string, PackageManager>> = {
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
}

/** Recognises the package manager by `packageManager`, else by the lock file here or above, as in a workspace. */
function packageManagerOf(root: string, { packageManager }: Manifest): PackageManager {
  const named = packageManagers.find((name) => packageManager?.startsWith(`${name}@`))
  if (named !== undefined) return named
  for (let folder = root; ; folder = dirname(folder)) {
    const lock = Object.keys(lockFiles).find((name) => existsSync(join(folder, name)))
    if (lock !== undefined) return lockFiles[lock]!
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return 'npm'
  }
}

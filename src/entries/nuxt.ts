import { cpSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The module's options, under `membership` in `nuxt.config.ts`. */
export interface NuxtOptions {
  /**
   * File whose default export is the options of `createMembership`, from the project's folder;
   * `./membership.config` by default.
   */
  readonly config?: string
}

/** The parts of Nuxt used here: https://nuxt.com/docs/4.x/api/advanced/hooks */
export interface Nuxt {
  readonly options: {
    readonly rootDir: string
    readonly buildDir: string
    readonly membership?: NuxtOptions
    readonly build: {
      readonly templates: { filename: string; write: true; getContents: () => string }[]
    }
    readonly nitro: { plugins?: string[] }
  }
  hook<E extends keyof NuxtHooks>(event: E, listener: (...given: NuxtHooks[E]) => void): unknown
}

interface NuxtHooks {
  'app:resolve': [app: { middleware: { name: string; path: string; global: boolean }[] }]
  'imports:extend': [imports: { name: string; from: string }[]]
  'prepare:types': [types: { references: { path: string }[] }]
  'nitro:prepare:types': [types: { references: { path: string }[] }]
  'nitro:config': [config: { externals?: Externals }]
  'nitro:init': [nitro: Nitro]
}

interface Externals {
  readonly inline?: readonly unknown[]
  readonly traceInclude?: readonly string[]
  readonly traceOptions?: object
}

/** The parts of Nitro used here: https://nitro.build/guide/lifecycle */
interface Nitro {
  readonly options: { readonly output: { readonly serverDir: string } }
  readonly hooks: { hook(event: 'compiled', listener: () => void): unknown }
}

/**
 * Module for `nuxt.config.ts`. It mounts our routes, sets `event.context.membership`, closes pages with
 * `definePageMeta({ gate })`, and adds `useMembership()`.
 */
function membership(inline: NuxtOptions, nuxt: Nuxt): void {
  const { options } = nuxt
  const { config = './membership.config' } = { ...options.membership, ...inline }
  const written = (filename: string, text: string): string => {
    options.build.templates.push({ filename, write: true, getContents: () => text })
    return join(options.buildDir, filename)
  }

  const plugin = written('membership-server.mjs', pluginWith(withEnding(resolve(options.rootDir, config))))
  options.nitro.plugins = [...(options.nitro.plugins ?? []), plugin]
  const types = written('types/membership.d.ts', declarations)
  for (const event of ['prepare:types', 'nitro:prepare:types'] as const)
    nuxt.hook(event, ({ references }) => references.push({ path: types }))

  const app = fileURLToPath(new URL('./nuxt-app.js', import.meta.url))
  nuxt.hook('imports:extend', (imports) => imports.push({ name: 'useMembership', from: app }))
  nuxt.hook('app:resolve', ({ middleware }) =>
    middleware.push({ name: 'membership-gate', path: app, global: true }),
  )
  nuxt.hook('nitro:config', (nitro) => {
    const { inline = [], traceInclude = [], ...externals } = nitro.externals ?? {}
    nitro.externals = {
      ...externals,
      // Nuxt puts the code of modules into the server's own files, where ours finds neither its pages nor its words.
      inline: inline.filter((name) => name !== 'membership'),
      traceInclude: [...traceInclude, ...loadedByName(options.rootDir)],
      // Nitro misses files that Node 20.19 and later load by this condition.
      traceOptions: { conditions: ['node', 'module-sync'], ...externals.traceOptions },
    }
  })
  nuxt.hook('nitro:init', ({ options: { output }, hooks }) => {
    hooks.hook('compiled', () => copyAssets(output.serverDir))
  })
}
export default Object.assign(membership, {
  getMeta: async () => ({ name: 'membership', configKey: 'membership', compatibility: { nuxt: '>=4' } }),
})

/** Returns the file of that name with its ending: Nitro does not look for one in a path of the disk. */
function withEnding(file: string): string {
  return ['', '.ts', '.mts', '.js', '.mjs', '.cjs'].map((ending) => `${file}${ending}`).find(isFile) ?? file
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Nitro's plugin that joins the server with the site's own configuration. */
function pluginWith(config: string): string {
  return `import { createMembership } from 'membership'
import { nuxtHost, prerendering } from 'membership/nuxt/server'
import options from ${JSON.stringify(config)}
export default import.meta.prerender ? prerendering : nuxtHost(() => createMembership(options)).plugin
`
}

const declarations = `import type { GateId, View } from 'membership'
import type { H3Event } from 'h3'

declare global {
  interface MembershipHosts { nuxt: H3Event }
}
declare module 'h3' {
  interface H3EventContext {
    /** The visitor's view. */
    membership: View
  }
}
declare module '#app' {
  interface PageMeta {
    /** Plan, price or feature that opens the page; of several, one is enough. */
    gate?: GateId | readonly GateId[]
  }
}
export {}
`

/**
 * Packages that ours loads by their names when it needs them, so that Nitro cannot see it: some of our own,
 * and those that a site may have, without the hosts.
 */
function loadedByName(rootDir: string): string[] {
  const { peerDependencies, exports } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { peerDependencies: object; exports: object }
  const peers = Object.keys(peerDependencies).filter((name) => !(`./${name}` in exports))
  return ['better-sqlite3', 'jpeg-js', 'yaml', ...peers].flatMap((name) => {
    for (const place of [import.meta.url, join(rootDir, 'package.json')])
      try {
        return createRequire(place).resolve(name)
      } catch {
        // Not installed there.
      }
    return []
  })
}

/** Copies the package whole into the built server. Nitro copies those files that code imports. */
function copyAssets(server: string): void {
  const to = join(server, 'node_modules/membership')
  if (!existsSync(to)) return
  const from = fileURLToPath(new URL('../..', import.meta.url))
  for (const folder of ['dist', 'templates', 'blueprints', 'config'])
    cpSync(join(from, folder), join(realpathSync(to), folder), { recursive: true })
}

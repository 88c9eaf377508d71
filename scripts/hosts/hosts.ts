import { followsLink, type Shown, usesReactParts } from './in-browser.ts'
import type { Ways } from './walk.ts'

/** One host: what is installed for its example, and how that is built and started. */
export interface Host {
  readonly title: string
  readonly packages: readonly string[]
  /** A folder of its own, for a package that another host has in another version. */
  readonly apart?: string
  /** The example's folder where its commands run; else the one above all examples. */
  readonly inside?: string
  readonly env?: Readonly<Record<string, string>>
  /** Commands before the site starts, in its folder. */
  readonly build?: readonly (readonly string[])[]
  readonly start: readonly string[]
  /** The built folder, if it runs without the site's node_modules: it is moved away from them first. */
  readonly alone?: string
  readonly bundle?: string
  /** Runs and ends, without HTTP. */
  readonly isScript?: boolean
  /** A browser behind the gate is shown the package's page, without a word of the example. */
  readonly showsLocked?: boolean
  /** What its version needs beside the example; only where it has a folder of its own. */
  readonly files?: Readonly<Record<string, string>>
  /** The oldest Node that it asks for, where that is newer than ours. */
  readonly fromNode?: number
  /** Every way to read the closed text of the example. */
  readonly ways?: Ways
  /** Addresses that have the closed text for nobody. */
  readonly noWays?: Ways
  /** Looks at the site in a real browser, after the purchase. */
  readonly inBrowser?: (shown: Shown) => Promise<void>
  /** The folder with the files that everybody can load, which hold no closed text. */
  readonly assets?: string
}
const json = { headers: { accept: 'application/json' } }
/** What the example of every framework offers. */
const waysOfAll: Ways = {
  page: '/archive',
  'the page as JSON': ['/archive', json],
  'a prefetched page': ['/archive', { headers: { 'sec-purpose': 'prefetch', accept: 'text/html' } }],
  'a page with a slash': '/archive/',
  'a page with an encoded letter': '/%61rchive',
  JSON: '/api/archive',
  'a list as JSON': '/api/posts',
  feed: '/feed.xml',
}
// Next and Nuxt find no page by an encoded letter.
const { 'a page with an encoded letter': _, ...waysOfNext } = waysOfAll
function node(file: string) {
  return [process.execPath, file]
}
const next = ['node_modules/next/dist/bin/next']
function nextJs(major: number, bundle: string): Host {
  return {
    title: `Next ${major}, app router`,
    packages: [`next@${major}`, 'react@19', 'react-dom@19'],
    build: [[...next, 'build', 'next']],
    start: [process.execPath, ...next, 'start', 'next'],
    bundle,
    ways: {
      ...waysOfNext,
      'the payload of a page': ['/archive', { headers: { rsc: '1' } }],
      'server components': '/react',
      'the payload of server components': ['/react', { headers: { rsc: '1' } }],
    },
    inBrowser: usesReactParts,
    assets: 'next/.next/static',
  }
}
function nest(adapter: string, main: string, packages: readonly string[]): Host {
  return {
    title: `NestJS 12 on ${adapter}`,
    packages: [
      '@nestjs/core@12',
      '@nestjs/common@12',
      'reflect-metadata',
      'rxjs@7',
      'typescript@5',
      ...packages,
    ],
    build: [['node_modules/typescript/bin/tsc', '-p', 'nest']],
    start: node(`out/nest/${main}.js`),
    showsLocked: true,
  }
}
function bundled(name: string, packages: readonly string[]): Host {
  return {
    title: 'plain Node, bundled',
    packages: [name, ...packages],
    build: [[`bundle-${name}.mjs`]],
    start: node(`out/${name}.mjs`),
    bundle: name,
  }
}
function svelteKit(major: number, adapter: number, plugin: number, vite: number): Host {
  return {
    title: `SvelteKit ${major}, adapter-node`,
    packages: [
      `@sveltejs/kit@${major}`,
      `@sveltejs/adapter-node@${adapter}`,
      `@sveltejs/vite-plugin-svelte@${plugin}`,
      'svelte@5',
      `vite@${vite}`,
    ],
    inside: 'sveltekit',
    build: [['../node_modules/vite/bin/vite.js', 'build']],
    start: node('build/index.js'),
    bundle: 'Vite',
    showsLocked: true,
    ways: {
      ...waysOfAll,
      'the data of a page': '/archive/__data.json',
      'the data of some nodes': '/archive/__data.json?x-sveltekit-invalidated=01',
      'the data with an encoded letter': '/%61rchive/__data.json',
    },
    inBrowser: followsLink,
    assets: 'build/client',
  }
}
function astro(major: number, adapter: number): Host {
  return {
    title: `Astro ${major}, node adapter`,
    packages: [`astro@${major}`, `@astrojs/node@${adapter}`],
    inside: 'astro',
    build: [[`../node_modules/astro/${major < 7 ? 'astro.js' : 'bin/astro.mjs'}`, 'build']],
    start: node('dist/server/entry.mjs'),
    env: { HOST: '127.0.0.1', ASTRO_TELEMETRY_DISABLED: '1' },
    bundle: 'Vite',
    showsLocked: true,
    ways: waysOfAll,
    inBrowser: followsLink,
    assets: 'dist/client',
  }
}
/** A host that has a walk of its own. */
function walkedApart(title: string, bundle = 'none'): Host {
  return { title, packages: [], start: [], bundle }
}
// Its packages have one version each: @react-router/serve asks for exactly its own.
function reactRouter(version: string, vite: number, bin: string): Host {
  return {
    title: `React Router ${version.split('.')[0]}, framework mode`,
    packages: [
      ...['react-router', '@react-router/dev', '@react-router/node', '@react-router/serve'].map(
        (name) => `${name}@${version}`,
      ),
      'react@19',
      'react-dom@19',
      'isbot@5',
      `vite@${vite}`,
    ],
    inside: 'react-router',
    build: [[`../node_modules/@react-router/dev/${bin}`, 'build']],
    start: [...node(`../node_modules/@react-router/serve/${bin}`), 'build/server/index.js'],
    env: { HOST: '127.0.0.1' },
    bundle: 'Vite',
    showsLocked: true,
    ways: {
      ...waysOfAll,
      'the data of a page': '/archive.data',
      'the data of one route': '/archive.data?_routes=routes%2Farchive',
    },
    inBrowser: followsLink,
    assets: 'build/client',
  }
}
function nuxt(version: string): Host {
  return {
    title: `Nuxt ${version.split('.').slice(0, 2).join('.')}`,
    packages: [`nuxt@${version}`, 'typescript@5', 'vue-tsc@3'],
    inside: 'nuxt',
    build: [
      ['../node_modules/nuxt/bin/nuxt.mjs', 'typecheck'],
      ['../node_modules/nuxt/bin/nuxt.mjs', 'build'],
    ],
    alone: '.output',
    start: node('server/index.mjs'),
    env: { HOST: '127.0.0.1', NUXT_TELEMETRY_DISABLED: '1' },
    bundle: 'Vite and Nitro',
    showsLocked: true,
    ways: {
      ...waysOfNext,
      'a page in capitals': '/ARCHIVE',
      'an alias of the page': '/old-archive',
    },
    // Nuxt has it only for pages that it keeps for everybody.
    noWays: { 'the payload of a page': '/archive/_payload.json' },
    inBrowser: followsLink,
    assets: '.output/public',
  }
}
const rollupPlugins = ['commonjs', 'json', 'node-resolve'].map((item) => `@rollup/plugin-${item}`)
/** The same site, as its developer sees it while writing. */
function nuxtDev(version: string): Host {
  const { alone: _, assets: __, ...host } = nuxt(version)
  return {
    ...host,
    title: `${host.title}, nuxt dev`,
    build: [],
    start: [...node('../node_modules/nuxt/bin/nuxt.mjs'), 'dev', '--no-fork'],
    env: { ...host.env, NODE_ENV: 'development' },
  }
}
/** Every host whose example is walked, in the order of docs/tested.md. */
export const hosts: Readonly<Record<string, Host>> = {
  koa: { title: 'Koa 3', packages: ['koa@3'], start: node('koa.mjs'), showsLocked: true },
  express: { title: 'Express 5', packages: ['express@5'], start: node('express.mjs') },
  fastify: { title: 'Fastify 5', packages: ['fastify@5'], start: node('fastify.mjs') },
  hono: { title: 'Hono 4 on Node', packages: ['hono@4', '@hono/node-server@1'], start: node('hono.mjs') },
  node: { title: 'plain Node', packages: [], start: node('node.mjs') },
  script: { title: 'a script', packages: [], start: node('script.mjs'), isScript: true },
  commonjs: { title: 'CommonJS', packages: [], start: node('commonjs.cjs') },
  next: nextJs(16, 'Turbopack'),
  next15: { ...nextJs(15, 'webpack'), apart: 'next-15' },
  nest: nest('Express', 'main', ['@nestjs/platform-express@12']),
  'nest-fastify': nest('Fastify', 'main-fastify', ['@nestjs/platform-fastify@12', 'fastify@5']),
  sveltekit2: {
    ...svelteKit(2, 5, 6, 7),
    apart: 'sveltekit-2',
    files: {
      'sveltekit/vite.config.js':
        "import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n",
      'sveltekit/svelte.config.js':
        "import adapter from '@sveltejs/adapter-node'\nexport default { kit: { adapter: adapter() } }\n",
    },
  },
  sveltekit3: { ...svelteKit(3, 6, 7, 8), apart: 'sveltekit-3', fromNode: 22 },
  astro5: { ...astro(5, 9), apart: 'astro-5' },
  astro7: { ...astro(7, 11), apart: 'astro-7', fromNode: 22 },
  'react-router7': {
    ...reactRouter('7.18.4', 7, 'bin.js'),
    apart: 'react-router-7',
    files: {
      'react-router/react-router.config.js':
        'export default { ssr: true, future: { v8_middleware: true } }\n',
    },
  },
  'react-router8': { ...reactRouter('8.4.0', 8, 'bin.cjs'), apart: 'react-router-8', fromNode: 22 },
  'nuxt4.4': { ...nuxt('4.4.5'), apart: 'nuxt-4.4' },
  'nuxt4.5': { ...nuxt('4.5.2'), apart: 'nuxt-4.5', fromNode: 22 },
  'nuxt-dev': { ...nuxtDev('4.4.5'), apart: 'nuxt-4.4' },
  payload: walkedApart('Payload 3, a plugin', 'Turbopack'),
  strapi: walkedApart('Strapi 5, a plugin'),
  'better-auth': walkedApart('better-auth, on Express 5'),
  authjs: walkedApart('Auth.js, on Express 5'),
  passport: walkedApart('Passport, on Express 5'),
  esbuild: bundled('esbuild', []),
  rollup: bundled('rollup', rollupPlugins),
  webpack: { ...bundled('webpack', []), start: node('out/webpack.cjs') },
}

/** Logins, each walked with a site of its own. */
export const ownLogins = ['better-auth', 'authjs', 'passport']

/** Finds a host by its name. A name without a version is the newest one that runs on this Node. */
export function hostNamed(asked: string): string | undefined {
  return asked in hosts
    ? asked
    : Object.keys(hosts).findLast((name) => name.replace(/[\d.]+$/, '') === asked && runsHere(name))
}

const [major = '0'] = process.versions.node.split('.')
/** True for a host that runs on this Node. */
export function runsHere(name: string): boolean {
  return Number(major) >= (hosts[name]?.fromNode ?? 0)
}

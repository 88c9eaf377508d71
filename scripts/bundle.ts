/**
 * What was compiled into `dist/` becomes few files: one for each entry of the package, and what they share or
 * load later. A start reads each file of the package, and hundreds of small ones cost it more than all that
 * they do.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const [compiled, bundled] = [join(root, 'dist'), join(root, 'dist.bundled')]

function entriesOf(value: unknown): string[] {
  return typeof value === 'string'
    ? [value]
    : Object.entries(value as object).flatMap(([name, item]) => (name === 'types' ? [] : entriesOf(item)))
}

const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entryPoints = [...entriesOf(exports), ...entriesOf(bin)]
  .filter((path) => path.endsWith('.js'))
  .map((path) => join(root, path))

/**
 * Libraries whose code goes into the bundles. Kysely's index loads 262 files, which is a quarter of a start.
 * It stays a dependency, for the types. Every other library is loaded from the site's `node_modules`.
 */
const inlined = ['kysely']
const libraries: Plugin = {
  name: 'libraries',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || inlined.includes(path) ? null : { path, external: true },
    )
    // esbuild keeps comments inside of classes, unless it prints without white space.
    onLoad({ filter: /\.js$/ }, async ({ path }) => ({
      contents: (await transform(readFileSync(path, 'utf8'), { minifyWhitespace: true })).code,
    }))
  },
}

await build({
  entryPoints,
  outdir: bundled,
  outbase: compiled,
  bundle: true,
  // What is imported when it is needed stays a file of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [libraries],
  // Its first line tells bundlers of sites where the browser's part begins, so it stays a file of its own.
  external: ['membership/react/client'],
  chunkNames: 'parts/[name]-[hash]',
  logLevel: 'warning',
})

for (const name of inlined)
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(compiled, `LICENSE-${name}`))

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
}

// The types stay where they are.
for (const path of filesIn(compiled)) if (path.endsWith('.js')) rmSync(path)
for (const path of filesIn(bundled)) {
  const to = join(compiled, relative(bundled, path))
  mkdirSync(dirname(to), { recursive: true })
  renameSync(path, to)
}
rmSync(bundled, { recursive: true })

// An older Node stops at an import of a name that it lacks, and gives no reason. So these names are read from the module
// itself, and the first import of each entry says which Node is needed. The command line has its own message.
// `membership/edge`, `membership/react` and `membership/nuxt/app` run elsewhere.
const newNames = /^import \{ (.*\b(?:hash|parseEnv|crc32|styleText)\b.*) \} from "node:(\w+)";$/gm
for (const path of filesIn(compiled).filter((item) => item.endsWith('.js'))) {
  const code = readFileSync(path, 'utf8')
  const asProperties = (_line: string, names: string, module: string, offset: number): string =>
    `import node${offset} from "node:${module}";\nconst { ${names.replaceAll(' as ', ': ')} } = node${offset};`
  const safe = code.replaceAll(newNames, asProperties)
  if (safe !== code) writeFileSync(path, safe)
}
const nodeVersion = `if (Number(process.versions.node.split('.')[0]) < 20) {
  const error = new Error('membership needs Node 20.19 or newer; this is Node ' + process.versions.node + '. Install Node 22 or newer.')
  error.stack = error.name + ': ' + error.message
  throw error
}
`
writeFileSync(join(compiled, 'node-version.js'), nodeVersion)
for (const entry of new Set(entriesOf(exports)))
  if (entry.endsWith('.js') && !/\/(?:edge|react|react-client|nuxt-app)\.js$/.test(entry)) {
    const path = join(root, entry)
    const own = relative(dirname(path), join(compiled, 'node-version.js'))
    const code = readFileSync(path, 'utf8')
    writeFileSync(path, `import "${own.startsWith('.') ? own : `./${own}`}";\n${code}`)
  }

// A letter beyond ASCII, in a comment or a pattern, doubles what the whole file takes in memory as long as a site runs.
for (const path of filesIn(compiled).filter((item) => item.endsWith('.js'))) {
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((item) => /\P{ASCII}/u.test(item))
  if (line !== undefined) throw new Error(`${relative(root, path)} is not ASCII: ${line.trim()}`)
}

// YAML of the package is parsed here, and not by each site.
for (const folder of ['templates', 'blueprints'])
  for (const path of filesIn(join(root, folder)).filter((item) => item.endsWith('.yml'))) {
    const to = join(compiled, `${relative(root, path)}.json`)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, JSON.stringify(parse(readFileSync(path, 'utf8'))))
  }

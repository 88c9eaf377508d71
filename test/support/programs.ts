import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { loader } from './command.ts'

const root = join(import.meta.dirname, '../..')
// What stands here as `.js` was translated with the whole suite, and the package bundled with it.
const entry = import.meta.filename.endsWith('.js') ? '.tests/programs/index.js' : 'src/index.ts'

/** Translates a program that uses the package as its users do (`import … from 'membership'`); what Node runs of it. */
export async function toProgram(source: string, outfile: string): Promise<string[]> {
  await build({
    entryPoints: [source],
    outfile,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    bundle: true,
    packages: 'external',
    plugins: [ours(dirname(outfile))],
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  return [...loader, '--enable-source-maps', outfile]
}

// As package.json says it.
function fileOf(part: string): string {
  if (part === '') return entry
  if (part === 'testkit') return entry.replace('/index', '/testkit/index')
  if (part === 'testkit/engine' || part === 'schemas') return entry.replace('/index', `/${part}`)
  if (part === 'types') return entry.replace('/index', '/public-types')
  return entry.replace('/index', `/entries/${part}`)
}

function ours(folder: string): Plugin {
  return {
    name: 'ours',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^membership(\/[\w/]+)?$/ }, ({ path }) => {
        const file = fileOf(path.slice('membership/'.length))
        return { path: `./${relative(folder, join(root, file))}`.replace(/^\.\/\.\./, '..'), external: true }
      })
    },
  }
}

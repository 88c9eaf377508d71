import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { subjects } from './subjects.ts'

// Runs once, in the copy of the repository in which all mutants lie switched off: makes plain JavaScript of the tests.
const root = join(import.meta.dirname, '../..')
const standIn = join(root, 'test/mutation/ava.ts')

await build({
  entryPoints: [...new Set(Object.values(subjects).flat())].map((file) => join(root, file)).concat(standIn),
  outdir: join(root, '.tests'),
  outbase: join(root, 'test'),
  // As deep below the root as the sources, so that every path that leads out of them stays as it is.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [
    { name: 'stand-in', setup: ({ onResolve }) => onResolve({ filter: /^ava$/ }, () => ({ path: standIn })) },
  ],
  logLevel: 'warning',
})
symlinkSync(join(root, 'test/fixtures'), join(root, '.tests/fixtures'))

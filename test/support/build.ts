import { readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

// The whole suite runs what was translated once, since a file that Node loads through a translator starts in more than
// twice the time. `src` becomes `.built` and `test` becomes `.tests`: both stand where their sources do, so that every
// path that leads out of them stays as it is.
const places = { src: '.built', test: '.tests', scripts: '.scripts' }

/** Translates the package and its tests below `root`; types are not looked at. */
export const buildSuite = async (root: string): Promise<void> => {
  for (const folder of Object.values(places)) rmSync(join(root, folder), { recursive: true, force: true })
  for (const [from, to] of Object.entries(places))
    await build({
      entryPoints: sourcesBelow(join(root, from)),
      outdir: join(root, to),
      outbase: join(root, from),
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // Only so that imports are asked about.
      bundle: true,
      packages: 'external',
      plugins: [translated(root)],
      sourcemap: 'inline',
      logLevel: 'warning',
    })
  symlinkSync(join(root, 'test/fixtures'), join(root, places.test, 'fixtures'))
}

const sourcesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('fixtures'))
    .map((name) => join(folder, name))

/** Every import of ours leads to what was made of it. */
const translated = (root: string): Plugin => ({
  name: 'translated',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return null
      const target = join(placeOf(root, dirname(join(dirname(importer), path))), path.split('/').at(-1)!)
      const seen = relative(placeOf(root, dirname(importer)), target)
      return {
        path: (seen.startsWith('.') ? seen : `./${seen}`).replace(/\.ts$/, '.js'),
        external: true,
      }
    }),
})

const placeOf = (root: string, folder: string): string => {
  const [top, ...rest] = relative(root, folder).split('/')
  return join(root, places[top as keyof typeof places] ?? top ?? '', ...rest)
}

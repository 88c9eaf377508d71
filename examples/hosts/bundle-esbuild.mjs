import { build } from 'esbuild'

await build({
  entryPoints: ['node.mjs'],
  outfile: 'out/esbuild.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Packages that are CommonJS ask for Node's own modules by require().
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
})

import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import resolve from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'

const bundle = await rollup({
  input: 'node.mjs',
  // Node 20 has no node:sqlite; undici asks for it only where somebody uses its store.
  plugins: [resolve({ preferBuiltins: true }), commonjs({ ignore: ['node:sqlite'] }), json()],
  logLevel: 'silent',
})
await bundle.write({
  dir: 'out',
  entryFileNames: 'rollup.mjs',
  chunkFileNames: 'rollup-[hash].mjs',
  format: 'esm',
})
